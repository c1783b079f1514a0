import { FRAME_SIZE } from '../constants.ts'
import { DamagedPackError } from '../errors.ts'
import { MemoryCache } from '../util/memory-cache.ts'
import { decompress, decompressNow, isSmall, readRaw, readRawNow } from './read-frame.ts'
import type { PackFiles } from './pack-files.ts'
import type { Row } from '../format/entry.ts'

/** Frames that are kept: 6 MiB at most. */
const MAX_FRAMES = 48
/** A frame that is not full, and the block that fills it; and a byte more, see `zstdDecompressKept`. */
const MAX_FRAME_SIZE = 2 * FRAME_SIZE + 1

/** Reads blocks of packs: small frames synchronously, large ones in the thread pool. */
export class BlockReader {
  readonly #files: PackFiles
  readonly #frames = new MemoryCache<string, Uint8Array>(MAX_FRAMES, MAX_FRAME_SIZE)

  constructor (files: PackFiles) {
    this.#files = files
  }

  /**
   * Read a block.
   *
   * @param multihash - which precedes the block in the pack
   * @param isOwn - whether the memory is the caller's. Else a small block is valid until something else is read
   * @throws {DamagedPackError}
   */
  read (row: Row, multihash: Uint8Array, isOwn = true): Uint8Array | Promise<Uint8Array> {
    const part = this.readPart(row, row.start - multihash.byteLength, row.start + row.length, isOwn)

    return part instanceof Promise
      ? part.then(bytes => checkMultihash(row, bytes, multihash))
      : checkMultihash(row, part, multihash)
  }

  /** Close all packs. */
  close (): void {
    this.#frames.clear()
    this.#files.close()
  }

  /** Read a part of the content of a row's frame. */
  readPart (row: Row, from: number, to: number, isOwn = true): Uint8Array | Promise<Uint8Array> {
    const { pack, raw } = row

    if (from < 0) {
      throw new DamagedPackError(pack, row.frame, 'the block has no multihash')
    }

    if (raw) {
      return isSmall(to - from)
        ? readRawNow(this.#files.open(pack), row, { start: from, length: to - from, isOwn })
        : this.#files.use(pack, async file => readRaw(file, row, from, to - from))
    }

    const key = `${pack}:${row.frame}`
    const kept = this.#frames.get(key)

    if (kept == null && !(isSmall(row.stored) && isSmall(to))) {
      return this.#files.use(pack, async file => sliceOf(row, await decompress(file, row, to), from, to))
    }

    const frame = kept ?? this.#frames.load(
      key, memory => decompressNow(this.#files.open(pack), row, to, memory)
    )

    const part = sliceOf(row, frame, from, to)

    // a copy: the memory of the frame is used again
    return isOwn ? Uint8Array.prototype.slice.call(part) : part
  }
}

function sliceOf ({ pack, frame }: Row, content: Uint8Array, from: number, to: number): Uint8Array {
  if (content.byteLength < to) {
    throw new DamagedPackError(pack, frame, 'the frame is too short')
  }

  return content.subarray(from, to)
}

function checkMultihash ({ pack, frame }: Row, bytes: Uint8Array, multihash: Uint8Array): Uint8Array {
  if (Buffer.compare(bytes.subarray(0, multihash.byteLength), multihash) !== 0) {
    throw new DamagedPackError(pack, frame, 'it holds another block')
  }

  return bytes.subarray(multihash.byteLength)
}
