import { hash } from 'node:crypto'
import { DamagedPackError, blockIn, cidIn, contentOf } from '@ipfsz/blockstore-packed/whole'
import { LruMap } from '@ipfsz/utils/lru-map'
import { messageOf } from '@ipfsz/utils/message-of'
import { sha256 } from 'multiformats/hashes/sha2'
import { StoreObjectError } from '../errors.ts'
import type { AbortOptions, ObjectStore } from '../objects/object-store.ts'
import type { Row } from '@ipfsz/blockstore-packed/whole'
import type { MultihashDigest } from 'multiformats'
import type { CID } from 'multiformats/cid'

/** Bytes that a request reads at least: a frame, and what is behind it. */
const MIN_READ = 128 * 1024
/** Bytes that one request reads at most, unless a frame is larger. */
const MAX_READ = 8 * 1024 * 1024
/** Bytes of ranges, and of decompressed frames, that are kept in memory. */
const MAX_RANGES = 32 * 1024 * 1024
const MAX_FRAMES = 16 * 1024 * 1024
/** How many times as much the next request reads, if what was read before it was used. */
const GROWTH = 8

interface Range {
  from: number
  to: number
  /** How many bytes were to be read, with those that were there. */
  window: number
  /** Bytes of frames of it that were read. */
  used: number
  bytes: Promise<Uint8Array>
}

/**
 * Reads blocks of packs. Blocks that are wanted one after the other mostly lie so in a pack, in several places of it:
 * blocks that do not shrink are behind those that do. A request beside another one reads eight times as much, if
 * half of that was used. One elsewhere reads as much as the last one if that was used, or else little.
 */
export class PackReader {
  readonly #objects: ObjectStore
  /** Of each pack, those that were read last, oldest first. */
  readonly #ranges = new Map<string, Range[]>()
  #size = 0
  #last: Range | undefined
  readonly #frames = new LruMap<string, Promise<Uint8Array>>({ maxSize: MAX_FRAMES, sizeOf: () => 128 * 1024 })

  constructor (objects: ObjectStore) {
    this.#objects = objects
  }

  /**
   * Read a block, and compare it with its hash, if that is SHA-256.
   *
   * @param key - of the pack
   * @throws {StoreObjectError} another block, or none, is there
   * @throws {NotFoundError} the pack is gone
   */
  async read (row: Row, key: string, multihash: MultihashDigest, { signal }: AbortOptions = {}): Promise<Uint8Array> {
    return damageOf(key, async () => {
      const block = blockIn(row, await this.#content(row, key, signal), multihash.bytes)

      if (multihash.code === sha256.code && Buffer.compare(hash('sha256', block, 'buffer'), multihash.digest) !== 0) {
        throw new DamagedPackError(row.pack, row.frame, 'a block has another hash')
      }

      return block
    })
  }

  /** The CID with which a block was stored. */
  async readCid (row: Row, key: string, { signal }: AbortOptions = {}): Promise<CID> {
    return damageOf(key, async () => cidIn(row, await this.#content(row, key, signal)))
  }

  async #content (row: Row, key: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const place = `${row.pack}:${row.frame}:${row.raw ? row.start : ''}`
    const kept = this.#frames.get(place)

    if (kept != null) {
      const content = await kept

      if (content.byteLength >= row.start + row.length) {
        return content
      }
    }

    const content = this.#stored(row, key, signal).then(async bytes => contentOf(row, bytes))

    // a large frame has one block, which is hardly wanted twice
    if (row.stored <= MIN_READ) {
      this.#frames.set(place, content)
      content.catch(() => { this.#frames.delete(place) })
    }

    return content
  }

  /** The stored bytes of a frame. Fewer, if the pack ends before. */
  async #stored ({ pack, frame, stored }: Row, key: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const ranges = this.#ranges.get(pack) ?? []
    let range = ranges.find(({ from, to }) => from <= frame && frame + stored <= to)

    if (range == null) {
      range = this.#request(pack, key, this.#place(ranges, frame, frame + stored))
    }

    range.used += stored

    const bytes = await range.bytes
    signal?.throwIfAborted()

    return bytes.subarray(frame - range.from, frame - range.from + stored)
  }

  /** Which bytes to read for those of a frame: none that are there. */
  #place (ranges: readonly Range[], frame: number, end: number): Omit<Range, 'bytes'> {
    const before = ranges.filter(({ from }) => from <= frame).toSorted((a, b) => b.to - a.to).at(0)
    const after = ranges.filter(({ from }) => from > frame).toSorted((a, b) => a.from - b.from).at(0)
    const isNear = (distance: number, size: number): boolean => distance < GROWTH * size
    const near = [
      before != null && isNear(frame - before.to, usedSize(before)) ? GROWTH * usedSize(before) : 0,
      after != null && isNear(after.from - end, usedSize(after)) ? GROWTH * usedSize(after) : 0
    ]
    const size = clampSize(Math.max(...near, usedSize(this.#last)))
    // what belongs together may also lie before
    const start = frame - frame % size

    return {
      from: Math.max(start, Math.min(before?.to ?? 0, frame)),
      to: Math.max(Math.min(start + size, after?.from ?? Infinity), end),
      window: size,
      used: 0
    }
  }

  #request (pack: string, key: string, place: Omit<Range, 'bytes'>): Range {
    const { from, to } = place
    // without a signal: others may wait for the same bytes
    const bytes = this.#objects.get(key, { offset: from, length: to - from })
    const range = { ...place, bytes }
    this.#last = range
    const ranges = this.#ranges.get(pack) ?? []
    ranges.push(range)
    // the pack that was read last is last
    this.#ranges.delete(pack)
    this.#ranges.set(pack, ranges)
    this.#size += to - from
    bytes.catch(() => { this.#drop(pack, range) })

    while (this.#size > MAX_RANGES) {
      const [[oldest, [first]]] = this.#ranges
      this.#drop(oldest, first)
    }

    return range
  }

  #drop (pack: string, range: Range): void {
    const ranges = this.#ranges.get(pack) ?? []
    const at = ranges.indexOf(range)

    if (at >= 0) {
      ranges.splice(at, 1)
      this.#size -= range.to - range.from

      if (ranges.length === 0) {
        this.#ranges.delete(pack)
      }
    }
  }
}

/** The window of a range if half of what was read was used. */
function usedSize (range: Range | undefined): number {
  return range != null && range.used >= (range.to - range.from) / 2 ? range.window : 0
}

function clampSize (size: number): number {
  return Math.max(MIN_READ, Math.min(MAX_READ, size))
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
