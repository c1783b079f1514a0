import { fromBase64 } from '../util/base64.ts'
import type { Copy } from '../format/zstd/zstd-encode.ts'

/** The exports of assembly/delta.ts. Numbers are bytes, or addresses in the memory. */
interface Exports {
  memory: WebAssembly.Memory
  reserve: (dictionarySize: number, contentSize: number) => number
  findCopies: (maxRest: number) => number
  copyList: () => number
  next: () => number
  checksum: () => number
  secondRoom: () => number
  isContentAt: (before: number) => number
}

let shared: Promise<DeltaModule | undefined> | undefined

/** Finds what some content has in common with a dictionary. It keeps its memory for the next ones. */
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
   * The copies in the content, in order.
   *
   * @param maxRest - the most bytes that may be in no copy of 64 bytes and more
   * @returns undefined if there are more, and if there is no such copy
   */
  findCopies (maxRest: number): Copy[] | undefined {
    const { findCopies, copyList, memory } = this.#exports
    const count = findCopies(Math.min(maxRest, this.#contentSize))

    if (count <= 0) {
      return undefined
    }

    const contentStart = this.#size - this.#contentSize
    const numbers = new Int32Array(memory.buffer, copyList(), 3 * count)

    return Array.from({ length: count }, (_, i) => ({
      start: numbers[3 * i] - contentStart,
      length: numbers[3 * i + 1],
      offset: numbers[3 * i + 2]
    }))
  }

  /** Where in the dictionary the content would go on: after the last long copy, and as many bytes as follow it. */
  next (): number {
    return this.#exports.next()
  }

  /** The lower 32 bits of the content's XXH64. */
  checksum (): number {
    return this.#exports.checksum() >>> 0
  }

  /** Room for the dictionary and the content once more. */
  secondRoom (): Uint8Array {
    const { secondRoom, memory } = this.#exports

    return new Uint8Array(memory.buffer, secondRoom(), this.#size)
  }

  /** Whether the content is in that room, after `before` bytes. */
  isContentAt (before: number): boolean {
    return this.#exports.isContentAt(before) !== 0
  }
}
