import { crc32 } from 'node:zlib'
import { WrappedBlockstore } from '@ipfsz/core'
import { isStoreAway } from '@ipfsz/shared-store/objects'
import { keyOf, PIECE } from '@ipfsz/shared-store/packs'
import type { SharedCache } from '../cache/shared-cache.ts'
import type { StoreWatch } from '@ipfsz/shared-store/objects'
import type { PackBlocks, PackBytes, PackStorage } from '@ipfsz/shared-store/packs'
import type { Blockstore, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Source<T> = Iterable<T> | AsyncIterable<T>
type Options = Parameters<Blockstore['has']>[1]

/** Bytes of the checksum behind each piece that is kept: a damaged disk must not look like a damaged store. */
const CHECKSUM = 4

/** For how long a list of packs is good for who reads, in milliseconds: what is gone is looked for again. */
const FRESH = 10_000

/** Blocks of a store of packs. Of the packs, what was read last is on the disk of this node. */
export class CachedPacks extends WrappedBlockstore {
  readonly #packs: PackStorage
  readonly #blocks: PackBlocks
  readonly #watch: StoreWatch

  constructor (inner: Blockstore, packs: PackStorage, blocks: PackBlocks, watch: StoreWatch) {
    super(inner)
    this.#packs = packs
    this.#blocks = blocks
    this.#watch = watch
  }

  override async * get (cid: CID, options?: Options): AsyncGenerator<Uint8Array> {
    yield await this.#blocks.get(cid, { signal: options?.signal ?? undefined })
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

/** Reads packs, and keeps what it reads on the disk of this node, in pieces of 128 KiB. */
export function cachedPieces (
  packs: Pick<PackStorage, 'read'>,
  cache: Pick<SharedCache, 'keep' | 'read'>,
  counts: { hits: number, misses: number },
  watch: StoreWatch
): PackBytes['read'] {
  return async (pack, key, { offset, length }) => {
    const first = offset / PIECE
    const kept = await Promise.all(Array.from({ length: length / PIECE }, async (_, i) =>
      withoutChecksum(await cache.read(nameOf(pack, first + i), async bytes => isGood(bytes)))))
    // behind one that is not full is nothing
    const end = kept.findIndex(piece => piece != null && piece.byteLength < PIECE)
    const pieces = kept.slice(0, end < 0 ? undefined : end + 1)
    const from = pieces.findIndex(piece => piece == null)
    const to = pieces.findLastIndex(piece => piece == null) + 1
    counts[from < 0 ? 'hits' : 'misses']++

    if (from < 0) {
      return Buffer.concat(pieces as Uint8Array[])
    }

    const read = await watch.read(async () =>
      packs.read(pack, key, { offset: offset + from * PIECE, length: (to - from) * PIECE }))

    for (let at = 0; at < read.byteLength; at += PIECE) {
      const piece = read.subarray(at, at + PIECE)
      await cache.keep(nameOf(pack, first + from + at / PIECE), Buffer.concat([piece, checksumOf(piece)]))
    }

    const [before, after] = [pieces.slice(0, from), pieces.slice(to)] as Uint8Array[][]

    return before.length + after.length === 0 ? read : Buffer.concat([...before, read, ...after])
  }
}

/** The numbers first: the last characters are spread well over directories. */
function nameOf (pack: string, piece: number): string {
  return `${piece}-${pack}`
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

function withoutChecksum (kept: Uint8Array | undefined): Uint8Array | undefined {
  return kept?.subarray(0, -CHECKSUM)
}
