import { crc32 } from 'node:zlib'
import { checkBlock, WrappedBlockstore } from '@ipfsz/core'
import { isStoreAway } from '@ipfsz/shared-store/objects'
import { keyOf, PIECE } from '@ipfsz/shared-store/packs'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { sha256 } from 'multiformats/hashes/sha2'
import type { SharedCache } from '../cache/shared-cache.ts'
import type { StoreWatch } from '@ipfsz/shared-store/objects'
import type { PackBlocks, PackBytes, PackStorage } from '@ipfsz/shared-store/packs'
import type { Blockstore, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Source<T> = Iterable<T> | AsyncIterable<T>
type Options = Parameters<Blockstore['has']>[1]

/** Bytes of the checksum behind each piece that is kept: a damaged disk must not look like a damaged store. */
const CHECKSUM = 4

/** Pieces of a group, 1 MiB: a file for each piece would take eight times as many calls. */
const GROUP = 8

/** For how long a list of packs is good for who reads, in milliseconds: what is gone is looked for again. */
const FRESH = 10_000

/** Blocks of a store of packs. Of the packs, what was read last is on the disk of this node. */
export class CachedPacks extends WrappedBlockstore {
  readonly freshBlocks = true
  readonly #packs: PackStorage
  readonly #blocks: PackBlocks
  readonly #watch: StoreWatch

  constructor (inner: Blockstore, packs: PackStorage, blocks: PackBlocks, watch: StoreWatch) {
    super(inner)
    this.#packs = packs
    this.#blocks = blocks
    this.#watch = watch
  }

  override get checksBlocks (): boolean {
    return true
  }

  override async * get (cid: CID, options?: Options): AsyncGenerator<Uint8Array> {
    const bytes = await this.#blocks.get(cid, { signal: options?.signal ?? undefined })

    if (cid.multihash.code !== sha256.code) {
      await checkBlock(cid, bytes)
    }

    yield bytes
  }

  override async * getMany (source: Source<CID>, options?: Options): AsyncGenerator<Pair> {
    for await (const cid of source) {
      yield { cid, bytes: this.get(cid, options) }
    }
  }

  /** By a list of packs of the last seconds, if that has it. If the store is away, what is known of it. */
  override async has (cid: CID, options?: Options): Promise<boolean> {
    const { catalog, writer } = this.#packs
    const key = keyOf(cid.multihash)
    const isKnown = async (): Promise<boolean> => writer.has(key) || (await catalog.find(key)).length > 0

    try {
      return await this.#watch.read(async signal => {
        await catalog.refreshIfOlder(FRESH, signal)

        return await isKnown() || this.unwrap().has(cid, { ...options, signal })
      }, options?.signal)
    } catch (err) {
      options?.signal?.throwIfAborted()

      if (isStoreAway(err) && await isKnown()) {
        return true
      }

      throw err
    }
  }
}

interface CachedPiecesInit {
  watch: StoreWatch
  counts: { hits: number, misses: number }
  /** Whether a group would be a large part of what the cache may keep: then pieces are kept by themselves. */
  isSmall: boolean
}

/**
 * Reads packs, and keeps what it reads on the disk of this node: whole groups of pieces that begin at a multiple of
 * their number in a file each, and other pieces, of 128 KiB, by themselves.
 */
export function cachedPieces (
  packs: Pick<PackStorage, 'read'>,
  cache: Pick<SharedCache, 'keep' | 'namesBeside' | 'read'>,
  { watch, counts, isSmall }: CachedPiecesInit
): PackBytes['read'] {
  const keep = async (name: string, bytes: Uint8Array): Promise<void> =>
    cache.keep(name, Buffer.concat([bytes, checksumOf(bytes)]))

  return async (pack, key, { offset, length }) => {
    const first = offset / PIECE
    const end = first + length / PIECE
    const kept = await readKept(pack, first, end, cache)
    const all = Array.from({ length: end - first }, (_, i) => first + i)
    // behind one that is not full is nothing
    const last = all.find(number => (kept.pieces.get(number)?.byteLength ?? PIECE) < PIECE) ?? end - 1
    const numbers = all.filter(number => number <= last)
    const piecesOf = (numbers: readonly number[]): Uint8Array[] =>
      numbers.map(number => kept.pieces.get(number)).filter(piece => piece != null)
    const missing = numbers.filter(number => !kept.pieces.has(number))
    counts[missing.length === 0 ? 'hits' : 'misses']++

    try {
      if (missing.length === 0) {
        return Buffer.concat(piecesOf(numbers))
      }

      const [from, to] = [missing[0], missing[missing.length - 1] + 1]
      const read = await watch.read(async () =>
        packs.read(pack, key, { offset: from * PIECE, length: (to - from) * PIECE }))

      for (const part of partsOf(from, to)) {
        const bytes = read.subarray((part.from - from) * PIECE, (part.to - from) * PIECE)

        if (!isSmall && bytes.byteLength === GROUP * PIECE) {
          await keep(nameOfGroup(pack, part.group), bytes)
        } else {
          for (let at = 0; at < bytes.byteLength; at += PIECE) {
            await keep(nameOf(pack, part.from + at / PIECE), bytes.subarray(at, at + PIECE))
          }
        }
      }

      const before = piecesOf(numbers.filter(number => number < from))
      const after = piecesOf(numbers.filter(number => number >= to))

      return before.length + after.length === 0 ? read : Buffer.concat([...before, read, ...after])
    } finally {
      kept.files.forEach(freeBytes)
    }
  }
}

/** What is kept of pieces, by their numbers, and the memory that they are in. */
async function readKept (
  pack: string,
  from: number,
  to: number,
  cache: Pick<SharedCache, 'namesBeside' | 'read'>
): Promise<{ pieces: Map<number, Uint8Array>, files: Uint8Array[] }> {
  const pieces = new Map<number, Uint8Array>()
  const files: Uint8Array[] = []
  const names = await cache.namesBeside(nameOf(pack, from))

  const read = async (name: string, size: number): Promise<Uint8Array | undefined> => {
    if (!names.has(name)) {
      return undefined
    }

    const bytes = await cache.read(name, async bytes => bytes.byteLength <= size + CHECKSUM && isGood(bytes))
    files.push(...bytes == null ? [] : [bytes])

    return bytes?.subarray(0, -CHECKSUM)
  }

  await Promise.all(partsOf(from, to).map(async part => {
    const group = await read(nameOfGroup(pack, part.group), GROUP * PIECE)

    for (let number = part.from; number < part.to; number++) {
      const at = (number - part.group * GROUP) * PIECE
      const piece = group?.subarray(at, at + PIECE) ?? await read(nameOf(pack, number), PIECE)

      if (piece != null) {
        pieces.set(number, piece)
      }
    }
  }))

  return { pieces, files }
}

/** The parts of pieces that are in different groups. */
function partsOf (from: number, to: number): Array<{ group: number, from: number, to: number }> {
  const first = Math.floor(from / GROUP)

  return Array.from({ length: Math.ceil(to / GROUP) - first }, (_, i) => {
    const group = first + i

    return { group, from: Math.max(from, group * GROUP), to: Math.min(to, (group + 1) * GROUP) }
  })
}

/** The numbers first: the last characters are spread well over directories, and those of a pack are in one. */
function nameOf (pack: string, piece: number): string {
  return `${piece}-${pack}`
}

function nameOfGroup (pack: string, group: number): string {
  return `${GROUP}x${group}-${pack}`
}

function checksumOf (bytes: Uint8Array): Buffer {
  const checksum = Buffer.alloc(CHECKSUM)
  checksum.writeUInt32LE(crc32(bytes))

  return checksum
}

function isGood (kept: Uint8Array): boolean {
  const piece = kept.subarray(0, -CHECKSUM)

  return Buffer.compare(checksumOf(piece), kept.subarray(piece.byteLength)) === 0
}
