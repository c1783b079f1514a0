import { DamagedPackError } from '../errors.ts'
import { FrameCache } from './frame-cache.ts'
import { decompress, decompressNow, isSmall, readRaw, readRawNow } from './read-frame.ts'
import type { PackFiles } from './pack-files.ts'
import type { Row } from '../format/entry.ts'

/** Reads blocks of packs: small frames synchronously, large ones in the thread pool. */
export class BlockReader {
  readonly #files: PackFiles
  readonly #frames = new FrameCache()

  constructor (files: PackFiles) {
    this.#files = files
  }

  /**
   * Read a block. The memory is the caller's.
   *
   * @param multihash - which precedes the block in the pack
   * @throws {DamagedPackError}
   */
  read (row: Row, multihash: Uint8Array): Uint8Array | Promise<Uint8Array> {
    const part = this.readPart(row, row.start - multihash.byteLength, row.start + row.length)

    return part instanceof Promise
      ? part.then(bytes => checkMultihash(row, bytes, multihash))
      : checkMultihash(row, part, multihash)
  }

  /** Close all packs. */
  close (): void {
    this.#frames.clear()
    this.#files.close()
  }

  /** Read a part of the content of a row's frame. The memory is the caller's. */
  readPart (row: Row, from: number, to: number): Uint8Array | Promise<Uint8Array> {
    const { pack, raw } = row

    if (from < 0) {
      throw new DamagedPackError(pack, row.frame, 'the block has no multihash')
    }

    if (raw) {
      return isSmall(to - from)
        ? readRawNow(this.#files.open(pack), row, from, to - from)
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

    // a copy: the memory of the frame is used again
    return Uint8Array.prototype.slice.call(sliceOf(row, frame, from, to))
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
