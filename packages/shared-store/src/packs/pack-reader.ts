import {
  DamagedPackError, blockIn, cidBefore, cidIn, comparePlaces, contentOf, MAX_HEAD, rawBlockIn, rawPlaceOf
} from '@ipfsz/blockstore-packed/whole'
import { digestInPool } from '@ipfsz/utils/digest-in-pool'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { LruMap } from '@ipfsz/utils/lru-map'
import { messageOf } from '@ipfsz/utils/message-of'
import { sha256Sync } from '@ipfsz/utils/sha256-sync'
import { sha256 } from 'multiformats/hashes/sha2'
import { StoreObjectError } from '../errors.ts'
import { MAX_EXPECTED, ReadWindows } from './read-windows.ts'
import type { AbortOptions } from '../objects/object-store.ts'
import type { Pieces } from './read-windows.ts'
import type { Row } from '@ipfsz/blockstore-packed/whole'
import type { MultihashDigest } from 'multiformats'
import type { CID } from 'multiformats/cid'

/** Bytes that are read and kept together. A request reads some of them, one after the other. */
export const PIECE = 128 * 1024
/** Pieces between two frames that are read with one request for both: a request takes as long as 1 MiB. */
const MAX_GAP = 8
/** The same for what is copied, 1.5 MiB, and pieces of one request: all of a pack. */
const COPIED = { maxGap: 12, maxPieces: 320 }
/** Bytes of pieces, and of decompressed frames, that are kept in memory. */
const MAX_KEPT = 64 * 1024 * 1024
const MAX_FRAMES = 16 * 1024 * 1024
/** Bytes that are requested at the same time, unless one request reads more. */
const MAX_READING = 64 * 1024 * 1024

/** Bytes of a multihash of sha2-256: those before a block are read with it. */
const MAX_MULTIHASH = 34

export interface PackBytes {
  /**
   * Read whole pieces of a pack, into memory that the caller may free. A pack that ends earlier yields fewer bytes.
   *
   * @param key - of its object. Undefined: no list of packs was made yet
   * @throws {NotFoundError} the pack is gone
   */
  read (pack: string, key: string | undefined, place: { offset: number, length: number }): Promise<Uint8Array>
}

/** Bytes of a pack: from one up to another, which is not one of them. */
interface Place {
  pack: string
  from: number
  to: number
}

interface Run extends Pieces {
  key: string | undefined
}

/** A piece, whose memory is freed when it is dropped and nobody uses it: as garbage it would make V8 mark its heap. */
interface Piece {
  bytes: Promise<Uint8Array>
  users: number
  isDropped: boolean
}

/** Reads blocks of packs, in pieces that it keeps in memory for a while; `ReadWindows` says how many. */
export class PackReader {
  readonly #packs: PackBytes
  readonly #pieces = new LruMap<string, Piece>({
    maxSize: MAX_KEPT,
    sizeOf: () => PIECE,
    onDrop (piece) {
      piece.isDropped = true
      freeUnused(piece)
    }
  })

  /** Those that are being read. */
  readonly #coming = new Map<string, Piece>()
  #reading = 0
  /** How many blocks are being read. */
  #blocks = 0
  #waiting: Array<() => void> = []
  readonly #windows: ReadWindows
  readonly #frames = new LruMap<string, Promise<Uint8Array>>({ maxSize: MAX_FRAMES, sizeOf: () => PIECE })

  /** @param maxAhead - as of `ReadWindows` */
  constructor (packs: PackBytes, maxAhead?: number) {
    this.#packs = packs
    this.#windows = new ReadWindows(PIECE, maxAhead)
  }

  /** So many bytes are about to be read, as somebody says: requests need not begin small. */
  expect (bytes: number): void {
    this.#windows.expect(bytes)
  }

  /**
   * Begin to read the frames of blocks, or what of raw ones is needed for them, with few requests.
   *
   * @param isCopied - whether they are to be copied, with their CIDs
   */
  prepare (rows: ReadonlyArray<{ row: Row, key: string | undefined }>, isCopied = false): void {
    const runs: Run[] = []
    const before = isCopied ? MAX_HEAD : MAX_MULTIHASH
    const { maxGap, maxPieces } = isCopied ? COPIED : { maxGap: MAX_GAP, maxPieces: MAX_EXPECTED }

    for (const { row, key } of rows.toSorted((a, b) => comparePlaces(a.row, b.row))) {
      const { from, to } = piecesOf(placeOf(row, before))
      const last = runs.at(-1)

      if (last?.pack === row.pack && from <= last.to + maxGap && to - last.from <= maxPieces) {
        last.to = Math.max(last.to, to)
      } else {
        runs.push({ pack: row.pack, key, from, to })
      }
    }

    for (const run of runs) {
      // who reads the blocks is told
      this.#use(run, () => {}).catch(() => {})
    }
  }

  /**
   * Read a block, and compare it with its hash, if that is SHA-256. It has memory of its own.
   *
   * @param isChecked - false: the caller compares it with its hash
   * @param key - of the pack, as `PackBytes` takes it
   * @throws {StoreObjectError} another block, or none, is there
   * @throws {NotFoundError} the pack is gone
   */
  async read (
    row: Row,
    key: string | undefined,
    multihash: MultihashDigest,
    { signal, isChecked = true }: AbortOptions & { isChecked?: boolean } = {}
  ): Promise<Uint8Array> {
    this.#blocks++

    return damageOf(key ?? row.pack, async () => {
      const block = row.raw
        ? await this.#useStored(placeOf(row, multihash.bytes.byteLength), { key, signal }, parts =>
          rawBlockIn(row, parts, multihash.bytes))
        : blockIn(row, await this.#content(row, key, signal), multihash.bytes)

      if (isChecked && multihash.code === sha256.code && !await this.#isHash(multihash, block)) {
        throw new DamagedPackError(row.pack, row.frame, 'a block has another hash')
      }

      return block
    }).finally(() => { this.#blocks-- })
  }

  async #isHash ({ code, digest }: MultihashDigest, block: Uint8Array): Promise<boolean> {
    // this thread has others to do something for
    const inPool = this.#blocks > 1 ? digestInPool(code, block) : undefined

    return Buffer.compare(await inPool ?? sha256Sync(block) ?? block, digest) === 0
  }

  /**
   * The CID with which a block was stored.
   *
   * @param isShort - whether its hash has at most 32 bytes. Before a longer one, others could be taken for a CID
   */
  async readCid (
    row: Row,
    key: string | undefined,
    { signal, isShort }: AbortOptions & { isShort: boolean }
  ): Promise<CID> {
    return damageOf(key ?? row.pack, async () => {
      const head = isShort && row.raw && row.start > 0 ? placeOf({ ...row, length: 0 }, MAX_HEAD) : undefined
      const cid = head && await this.#useStored(head, { key, signal }, parts => cidBefore(row, parts))

      return cid ?? cidIn(row, await this.#content(row, key, signal))
    })
  }

  async #content (row: Row, key: string | undefined, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const place = `${row.pack}:${row.frame}`
    const kept = this.#frames.get(place)

    if (kept != null) {
      return kept
    }

    const content = this.#useStored(frameOf(row), { key, signal }, async parts =>
      contentOf(row, parts.length === 1 ? parts[0] : Buffer.concat(parts)))

    // a large frame has one block, which is hardly wanted twice. One that is raw is only read as a whole for a CID
    if (row.stored <= PIECE && !row.raw) {
      this.#frames.set(place, content)
      content.catch(() => { this.#frames.delete(place) })
    }

    return content
  }

  /** Use stored bytes of a pack, in parts of pieces. Fewer, if it ends before. They are gone when `work` has ended. */
  async #useStored<T> (
    { pack, from, to }: Place,
    { key, signal }: AbortOptions & { key: string | undefined },
    work: (parts: Uint8Array[]) => T | Promise<T>
  ): Promise<T> {
    const run = { pack, key, ...piecesOf({ from, to }) }
    const working = this.#use(run, pieces => {
      signal?.throwIfAborted()

      return work(pieces.map((piece, i) => {
        const at = (run.from + i) * PIECE

        return piece.subarray(Math.max(0, from - at), Math.max(0, to - at))
      }))
    })
    this.#windows.use(run, to - from)

    return working
  }

  /** Use pieces of a pack. Those that are not in memory are read with one request. */
  async #use<T> ({ pack, key, from, to }: Run, work: (pieces: Uint8Array[]) => T | Promise<T>): Promise<T> {
    const numbers = Array.from({ length: to - from }, (_, i) => from + i)
    const kept = numbers.map(number => this.#coming.get(nameOf(pack, number)) ?? this.#pieces.get(nameOf(pack, number)))
    const missing = numbers.filter((_, i) => kept[i] == null)
    // with those that are dropped at once, as a large frame has more than are kept
    const read = missing.length === 0
      ? []
      : this.#request(key, this.#windows.next(
        { pack, from: missing[0], to: missing[missing.length - 1] + 1 }, piece => this.#isThere(nameOf(pack, piece))
      ))
    const used = numbers.map((number, i) => kept[i] ?? read[number])
    used.forEach(piece => { piece.users++ })

    try {
      return await work(await Promise.all(used.map(async ({ bytes }) => bytes)))
    } finally {
      for (const piece of used) {
        piece.users--
        freeUnused(piece)
      }
    }
  }

  #isThere (name: string): boolean {
    return this.#coming.has(name) || this.#pieces.has(name)
  }

  /** @returns the pieces, by their numbers */
  #request (key: string | undefined, { pack, from, to }: Pieces): Piece[] {
    const read: Piece[] = []
    const length = (to - from) * PIECE
    // without a signal: others may wait for the same bytes
    const bytes = this.#inTurn(length, async () => this.#packs.read(pack, key, { offset: from * PIECE, length }))

    for (let number = from; number < to; number++) {
      const name = nameOf(pack, number)
      const at = (number - from) * PIECE
      // in memory of its own: it may be kept for longer than the others
      const own = bytes.then(all => copyOf(all.subarray(at, at + PIECE)))
      const piece = { bytes: own, users: 0, isDropped: false }
      this.#coming.set(name, piece)
      void this.#keepLater(name, piece)
      read[number] = piece
    }

    // after all pieces were copied
    bytes.then(freeBytes, () => {})

    return read
  }

  async #keepLater (name: string, piece: Piece): Promise<void> {
    try {
      await piece.bytes
      this.#pieces.set(name, piece)
    } catch {
      // who waits for it is told
    } finally {
      this.#coming.delete(name)
    }
  }

  /** Read as soon as there is memory for it. */
  async #inTurn<T> (length: number, read: () => Promise<T>): Promise<T> {
    while (this.#reading > 0 && this.#reading + length > MAX_READING) {
      await new Promise<void>(resolve => { this.#waiting.push(resolve) })
    }

    this.#reading += length

    try {
      return await read()
    } finally {
      this.#reading -= length
      this.#waiting.splice(0).forEach(resolve => { resolve() })
    }
  }
}

/** In memory that is not zeroed first. */
function copyOf (bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(Buffer.allocUnsafeSlow(bytes.byteLength).buffer)
  copy.set(bytes)

  return copy
}

/** Free a piece that is dropped, and that nobody uses. */
function freeUnused ({ bytes, users, isDropped }: Piece): void {
  if (isDropped && users === 0) {
    bytes.then(freeBytes, () => {})
  }
}

function frameOf ({ pack, frame, stored }: Row): Place {
  return { pack, from: frame, to: frame + stored }
}

/** The bytes of a pack to read for a block: its frame, or what of a raw one is needed, with so many bytes before it. */
function placeOf (row: Row, before: number): Place {
  const { from, to } = row.raw ? rawPlaceOf(row, before) : { from: 0, to: row.stored }

  return { pack: row.pack, from: row.frame + from, to: row.frame + Math.min(to, row.stored) }
}

/** The pieces that bytes are in: from one up to another, which they are not in. */
function piecesOf ({ from, to }: Omit<Place, 'pack'>): Pick<Run, 'from' | 'to'> {
  const first = Math.floor(from / PIECE)

  return { from: first, to: Math.max(first + 1, Math.ceil(to / PIECE)) }
}

function nameOf (pack: string, piece: number): string {
  return `${pack}:${piece}`
}

/** @throws {StoreObjectError} the object of a pack is damaged */
async function damageOf<T> (key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    throw err instanceof Error && err.name === 'DamagedPackError'
      ? new StoreObjectError(key, messageOf(err), { cause: err })
      : err
  }
}
