/**
 * Compresses the next version of some bytes: a frame that says what of them stayed where, and what is new.
 *
 * @packageDocumentation
 */
import { DeltaModule } from './delta/delta-module.ts'
import { checkFrame } from './delta/frame-check.ts'
import type { Delta } from './delta/delta-module.ts'

export type { Delta } from './delta/delta-module.ts'

/** What changed, as a frame. */
export interface CheckedDelta extends Delta {
  /**
   * Resolves once the frame was decoded, and is right: until then it must not be stored, and the content must not be
   * changed. In Node, that is done on another thread.
   *
   * @throws {WrongFrameError} it is wrong: a fault of the encoder, or of the machine's memory
   */
  checked: Promise<void>
}

export interface DeltaOptions {
  /** The version before: raw content that frames may refer back to (RFC 8878, section 5). */
  dictionary: Uint8Array

  /**
   * Maximum bytes of the content that may not be in pieces of 64 bytes and more of the dictionary. With more, libzstd
   * finds more of what they have in common.
   */
  maxChanged: number

  /** Maximum number of bytes of a frame. With more, libzstd is likely to make a shorter one. */
  maxLength?: number
}

/**
 * Compresses content that is mostly that of its dictionary into zstd frames (RFC 8878), which any decoder of zstd
 * reads with the dictionary. libzstd hashes all bytes of a dictionary and of the content; this compares them, and
 * searches only around what changed. So it takes a fourth of the processor time, and finds as much. Each frame is
 * decoded before it may be stored.
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
  compress (
    content: Uint8Array,
    { dictionary, maxChanged, maxLength = Infinity }: DeltaOptions
  ): CheckedDelta | undefined {
    const module = this.#module
    const room = module.reserve(dictionary.byteLength, content.byteLength)

    if (room == null) {
      return undefined
    }

    room.set(dictionary)
    room.set(content, dictionary.byteLength)
    const delta = module.encode(maxChanged)

    if (delta == null || delta.frame.byteLength > maxLength) {
      return undefined
    }

    const { frame, start, end } = delta
    const checked = checkFrame(module, { frame, content, dictionary: dictionary.subarray(start, end) })
    // whoever waits for it gets the error
    checked.catch(() => {})

    return { ...delta, checked }
  }
}
