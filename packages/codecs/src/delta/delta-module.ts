// Room: our own WebAssembly (its source is in `assembly/`), which finds what a new version of a piece has in common
// with the old one, and writes a zstd frame of the rest.
import { fromBase64 } from '@ipfsz/utils/base64'
import { mark } from '../format/zstd/zstd-mark.ts'

/** The exports of assembly/delta.ts. Numbers are bytes, or addresses in the memory. */
interface Exports {
  memory: WebAssembly.Memory
  spanStart: WebAssembly.Global
  spanEnd: WebAssembly.Global
  reserve: (dictionarySize: number, contentSize: number) => number
  findCopies: (maxRest: number) => number
  findSpan: (count: number) => number
  encodeFrame: (count: number, dictionaryEnd: number) => number
  next: () => number
  sameAt: () => number
  checksum: () => number
  secondRoom: () => number
  isContentAt: (before: number) => number
}

/** What changed. All places are in the dictionary, in bytes. */
export interface Delta {
  /** A frame of one segment with a checksum. Its dictionary is the content from `start` to `end`. */
  frame: Uint8Array
  /** What it refers back to: all of that, but at least 8 bytes, which do not look like a trained dictionary. */
  start: number
  end: number
  /** Where the content would go on, which may be after the dictionary. */
  next: number
  /** Where all of the content is, if it did not change. */
  sameAt: number | undefined
}

let shared: Promise<DeltaModule | undefined> | undefined

/** Compresses content by what changed since a dictionary. It keeps its memory for the next ones. */
export class DeltaModule {
  readonly #exports: Exports
  #contentSize = 0
  #size = 0

  private constructor (exports: Exports) {
    this.#exports = exports
  }

  /**
   * The one that all of a program share: each use ends before the next begins.
   *
   * @returns undefined if it cannot be loaded, as in a page that is offline, or there is no WebAssembly
   */
  static async shared (): Promise<DeltaModule | undefined> {
    shared ??= DeltaModule.load()

    try {
      return await shared
    } catch {
      // the next call tries again
      shared = undefined

      return undefined
    }
  }

  /** @returns undefined if the platform has no WebAssembly, or a page's policy forbids it */
  static async load (): Promise<DeltaModule | undefined> {
    const { modules: [base64] } = await import('../generated/delta-module.ts')

    try {
      const { instance } = await WebAssembly.instantiate(fromBase64(base64))

      return new DeltaModule(instance.exports as unknown as Exports)
    } catch {
      return undefined
    }
  }

  /**
   * Begin with other bytes: room for a dictionary, and for the content after it.
   *
   * @returns undefined if there is not enough memory. Then nothing else may be called
   */
  reserve (dictionarySize: number, contentSize: number): Uint8Array | undefined {
    const { reserve, memory } = this.#exports
    const start = reserve(dictionarySize, contentSize)
    this.#contentSize = contentSize
    this.#size = dictionarySize + contentSize

    return start === 0 ? undefined : new Uint8Array(memory.buffer, start, this.#size)
  }

  /**
   * Encode the content.
   *
   * @param maxRest - maximum number of bytes that may be in no piece of 64 bytes and more that the dictionary also has
   * @returns undefined if there are more, or nothing of it is in the dictionary
   */
  encode (maxRest: number): Delta | undefined {
    const { memory, spanStart, spanEnd, findCopies, findSpan, encodeFrame, next, sameAt, secondRoom } = this.#exports
    const count = findCopies(Math.min(maxRest, this.#contentSize))

    if (count <= 0 || findSpan(count) === 0) {
      return undefined
    }

    const [start, end] = [spanStart, spanEnd].map(({ value }) => value as number)
    const length = encodeFrame(count, end)
    const same = sameAt()

    return {
      frame: mark(new Uint8Array(memory.buffer, secondRoom(), length)),
      start,
      end,
      next: next(),
      sameAt: same < 0 ? undefined : same
    }
  }

  /** The lower 32 bits of the content's XXH64. */
  checksum (): number {
    return this.#exports.checksum() >>> 0
  }

  /** Room for the dictionary and the content once more. It has been used for the frame. */
  secondRoom (): Uint8Array {
    const { secondRoom, memory } = this.#exports

    return new Uint8Array(memory.buffer, secondRoom(), this.#size)
  }

  /** Whether the content is in that room, after `before` bytes. */
  isContentAt (before: number): boolean {
    return this.#exports.isContentAt(before) !== 0
  }
}
