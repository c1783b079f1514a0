/**
 * Compresses the next version of some bytes: a frame that says what of them stayed where, and what is new.
 *
 * @packageDocumentation
 */
import { spanOf, withDictionaryEnd } from './delta/dictionary-span.ts'
import { FarPlaces } from './delta/far-places.ts'
import { fastXxh64 } from './delta/fast-xxh64.ts'
import { FrameCheck } from './delta/frame-check.ts'
import { findLongCopies } from './delta/long-copies.ts'
import { addShortCopies } from './delta/short-copies.ts'
import { Windows } from './delta/windows.ts'
import { encodeZstdFrame } from './format/zstd/zstd-encode.ts'
import type { Xxh64Low } from './delta/fast-xxh64.ts'

let loading: Promise<DeltaCompressor> | undefined

export interface DeltaOptions {
  /** The version before: raw content that frames may refer back to (RFC 8878, section 5). */
  dictionary: Uint8Array

  /**
   * The most bytes of the content that may not be in pieces of 64 bytes and more of the dictionary. With more, libzstd
   * finds more of what they have in common.
   */
  maxChanged: number
}

/** What changed. All places are in the dictionary that was given, in bytes. */
export interface Delta {
  /** A frame of one segment with a checksum. Its dictionary is the content from `start` to `end`. */
  frame: Uint8Array
  /** What it refers back to: all of that, but at least 8 bytes, which do not look like a trained dictionary. */
  start: number
  end: number
  /** Where the content would go on. */
  next: number
  /** Where all of the content is, if it did not change. */
  sameAt: number | undefined
}

/**
 * Compresses content that is mostly that of its dictionary into zstd frames (RFC 8878), which any decoder of zstd
 * reads with the dictionary. libzstd hashes all bytes of a dictionary and of the content; this compares them, and
 * searches only around what changed. So it takes a fourth of the processor time, and finds as much. Each frame is
 * decoded before it is returned.
 *
 * It keeps its memory for the next call: two or three times as much as the largest dictionary and its content have.
 */
export class DeltaCompressor {
  readonly #windows = new Windows()
  readonly #farPlaces = new FarPlaces()
  readonly #xxh64Low: Xxh64Low
  readonly #check: FrameCheck
  #memory = new Uint8Array(0)

  private constructor (xxh64Low: Xxh64Low) {
    this.#xxh64Low = xxh64Low
    this.#check = new FrameCheck(xxh64Low)
  }

  /** The one that all of a program share. That is enough, since each call ends before the next begins. */
  static async load (): Promise<DeltaCompressor> {
    return loading ??= DeltaCompressor.create()
  }

  static async create (): Promise<DeltaCompressor> {
    return new DeltaCompressor(await fastXxh64())
  }

  /** @returns undefined if too much changed */
  compress (content: Uint8Array, { dictionary, maxChanged }: DeltaOptions): Delta | undefined {
    const contentStart = dictionary.byteLength
    const size = contentStart + content.byteLength

    if (this.#memory.byteLength < size) {
      this.#memory = new Uint8Array(size)
    }

    this.#memory.set(dictionary)
    this.#memory.set(content, contentStart)
    const all = new DataView(this.#memory.buffer, 0, size)
    this.#windows.index(all, contentStart)
    const long = findLongCopies(all, contentStart, this.#windows, maxChanged)
    const last = long?.at(-1)

    if (long == null || last == null) {
      return undefined
    }

    const copies = addShortCopies(all, contentStart, this.#windows, this.#farPlaces, long)
    const span = spanOf(copies, dictionary)

    if (span == null) {
      return undefined
    }

    const checksum = this.#xxh64Low(content)
    const frame = encodeZstdFrame(content, withDictionaryEnd(copies, contentStart, span.end), checksum)

    if (!this.#check.passes(frame, content.byteLength, dictionary.subarray(span.start, span.end))) {
      return undefined
    }

    return {
      frame,
      ...span,
      next: size - last.offset,
      sameAt: last.length === content.byteLength ? contentStart - last.offset : undefined
    }
  }
}
