/**
 * Compresses the next version of some bytes: a frame that says what of them stayed where, and what is new.
 *
 * @packageDocumentation
 */
import { DeltaModule } from './delta/delta-module.ts'
import { spanOf, withDictionaryEnd } from './delta/dictionary-span.ts'
import { decodesToContent } from './delta/frame-check.ts'
import { encodeZstdFrame } from './format/zstd/zstd-encode.ts'

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
  /** Where the content would go on, which may be after the dictionary. */
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
 * It keeps its memory for the next call: a few times as much as the largest dictionary and its content have.
 */
export class DeltaCompressor {
  readonly #module: DeltaModule

  private constructor (module: DeltaModule) {
    this.#module = module
  }

  /**
   * One with the memory that all of a program share.
   *
   * @returns undefined if it cannot be loaded, as in a page that is offline, or there is no WebAssembly
   */
  static async load (): Promise<DeltaCompressor | undefined> {
    const module = await DeltaModule.shared()

    return module && new DeltaCompressor(module)
  }

  /** One with memory of its own. Undefined if the platform has no WebAssembly, or a page's policy forbids it. */
  static async create (): Promise<DeltaCompressor | undefined> {
    const module = await DeltaModule.load()

    return module && new DeltaCompressor(module)
  }

  /** @returns undefined if too much changed, or there is not enough memory for it */
  compress (content: Uint8Array, { dictionary, maxChanged }: DeltaOptions): Delta | undefined {
    const { byteLength: size } = content
    const contentStart = dictionary.byteLength
    const module = this.#module
    const room = module.reserve(contentStart, size)
    room?.set(dictionary)
    room?.set(content, contentStart)
    const copies = room && module.findCopies(maxChanged)
    const span = copies && spanOf(copies, dictionary)

    if (copies == null || span == null) {
      return undefined
    }

    const checksum = module.checksum()
    const frame = encodeZstdFrame(content, withDictionaryEnd(copies, contentStart, span.end), checksum)

    if (!decodesToContent(module, frame, size, dictionary.subarray(span.start, span.end), checksum)) {
      return undefined
    }

    const [{ length, offset }] = copies

    return {
      frame,
      ...span,
      next: module.next(),
      sameAt: length === size ? contentStart - offset : undefined
    }
  }
}
