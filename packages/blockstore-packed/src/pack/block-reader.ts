import { DamagedPackError } from '../errors.ts'
import { readCompressed, readRaw } from './read-frame.ts'
import type { PackFiles } from './pack-files.ts'
import type { Row } from '../format/entry.ts'

/** Bytes of decompressed frames that are kept: those who read a block read its neighbours next. */
const MAX_BYTES = 8 * 1024 * 1024

/** Reads blocks of packs. */
export class BlockReader {
  readonly #files: PackFiles
  readonly #frames = new Map<string, Promise<Uint8Array>>()
  #sizes = new Map<string, number>()
  #bytes = 0

  constructor (files: PackFiles) {
    this.#files = files
  }

  /**
   * Read a block. The bytes may be part of memory that others read, too.
   *
   * @param multihash - which precedes the block in the pack
   * @throws {DamagedPackError}
   */
  async read (row: Row, multihash: Uint8Array): Promise<Uint8Array> {
    const from = row.start - multihash.byteLength

    if (from < 0) {
      throw new DamagedPackError(row.pack, row.frame, 'the block has no multihash')
    }

    const bytes = await this.readPart(row, from, row.start + row.length)

    if (Buffer.compare(bytes.subarray(0, multihash.byteLength), multihash) !== 0) {
      throw new DamagedPackError(row.pack, row.frame, 'it holds another block')
    }

    return bytes.subarray(multihash.byteLength)
  }

  /** Read a part of the content of a row's frame. */
  async readPart (row: Row, from: number, to: number): Promise<Uint8Array> {
    if (row.raw) {
      return this.#files.use(row.pack, async file => readRaw(file, row, from, to - from))
    }

    const content = await this.#frame(row, to)

    if (content.byteLength < to) {
      throw new DamagedPackError(row.pack, row.frame, 'the frame is too short')
    }

    return content.subarray(from, to)
  }

  async #frame (row: Row, end: number): Promise<Uint8Array> {
    const key = `${row.pack}:${row.frame}`
    let frame = this.#frames.get(key)

    if (frame == null) {
      frame = this.#load(row, end, key)
      this.#frames.set(key, frame)
    }

    return frame
  }

  async #load (row: Row, end: number, key: string): Promise<Uint8Array> {
    try {
      const content = await this.#files.use(row.pack, async file => readCompressed(file, row, end))
      this.#keep(key, content.byteLength)

      return content
    } catch (err) {
      this.#frames.delete(key)
      throw err
    }
  }

  #keep (key: string, size: number): void {
    this.#sizes.set(key, size)
    this.#bytes += size

    for (const [oldest, size] of this.#sizes) {
      if (this.#bytes <= MAX_BYTES) {
        break
      }

      this.#sizes.delete(oldest)
      this.#frames.delete(oldest)
      this.#bytes -= size
    }
  }
}
