// Above 250 lines: nearly two thirds of the contract of a codec are its documentation.
import { InvalidLevelError } from './errors.ts'
import type { CODES } from './constants.ts'

/** The codecs of the format, by name. */
export type CodecName = keyof typeof CODES

/** How a codec is implemented: compiled code of the platform or an addon, WebAssembly, or JavaScript. */
export type ImplementationName = 'native' | 'wasm' | 'js'

/** The compression levels of a codec: whole numbers from `min` to `max`. */
export interface Levels {
  readonly min: number
  readonly max: number
  readonly default: number
}

export interface CompressOptions {
  /**
   * The compression level, within the codec's `levels`.
   *
   * @default the codec's `levels.default`
   */
  level?: number

  /**
   * Bytes that the frame may refer back to, as if they came before its content: a dictionary of
   * raw content (RFC 8878, section 5), such as an earlier version of the same bytes. 8 bytes to
   * 16 MiB. Who decompresses the frame needs the same dictionary.
   *
   * It is never transferred, and is copied to workers. Do not modify it until the promise settles.
   *
   * @default none
   */
  dictionary?: Uint8Array | undefined

  /**
   * Transfer the bytes to a worker instead of copying them. This may detach their whole
   * ArrayBuffer, even if the call fails.
   *
   * @default false
   */
  transfer?: boolean

  /**
   * Whether this thread has other work meanwhile, such as further files. Then bytes that are compressed sooner here
   * than in another thread, though they take this one longer, go there: with native zstd those of 16 to 64 KiB.
   *
   * @default false
   */
  background?: boolean

  /** Aborting it rejects the call with the signal's reason, and frees its worker. */
  signal?: AbortSignal | null | undefined
}

export interface DecompressOptions {
  /** How many bytes the frame has to decode to, 0 to 16 MiB. */
  size: number

  /**
   * The dictionary that the frame was compressed with, see {@link CompressOptions.dictionary}.
   *
   * The frame does not say which one that is. Its checksum does: with another dictionary, the call
   * throws a CorruptFrameError. A frame without a checksum is refused, because a wrong dictionary
   * could then yield wrong bytes of the right length.
   *
   * @default none
   */
  dictionary?: Uint8Array | undefined

  /**
   * Transfer the frame, as {@link CompressOptions.transfer} does.
   *
   * @default false
   */
  transfer?: boolean

  /**
   * Memory for the result, at least `size + 1` bytes: frames that are decompressed into the same memory one after the
   * other take less time than in new memory. An implementation that cannot write there returns other memory.
   *
   * It may be written to until the promise settles, and if that rejects, afterwards too: then do not use or free it.
   *
   * @default none
   */
  into?: Uint8Array | undefined

  /** See {@link CompressOptions.signal}. */
  signal?: AbortSignal | null | undefined
}

export interface PrepareOptions {
  /** Which calls are about to come. */
  to: 'compress' | 'decompress'

  /**
   * How many of them there are. More workers than that are not started.
   *
   * @default 1
   */
  calls?: number
}

export interface DecompressStreamOptions {
  /**
   * The largest window that a Zstandard stream may require, in bytes. The window is most of the
   * memory for reading. Only `zstd --ultra` and `zstd --long` make larger windows than the
   * default.
   *
   * @default 8388608
   */
  maxWindowSize?: number | undefined

  /** Aborting it ends reading with the signal's reason. */
  signal?: AbortSignal | null | undefined
}

/**
 * Compresses bytes into one frame, and decompresses one frame. Each frame is complete on its
 * own, and the format's own tools can read it (docs/format.md, section 4).
 *
 * Do not modify the input until the promise settles.
 */
export interface Codec {
  readonly name: CodecName
  /** The marker code, see {@link CODES}. */
  readonly code: number
  readonly levels: Levels
  /** The implementation in use on this platform. */
  readonly implementation: ImplementationName

  /**
   * Whether calls can have a dictionary. If the implementation in use cannot take one, another one
   * of the same codec does (Node before 22.19).
   *
   * Missing means false: codecs from other packages may lack it.
   */
  readonly dictionaries?: boolean

  /**
   * Compress up to 16 MiB into one frame. The caller may free what it returns, unless it is in the memory of `bytes`.
   *
   * @throws {InvalidLevelError} the codec has no such level
   * @throws {FrameTooLargeError} there are more than 16 MiB
   * @throws {DictionaryNotSupportedError} the codec cannot use a dictionary
   * @throws {InvalidDictionaryError} the dictionary is not of 8 bytes to 16 MiB, or is not raw content
   * @throws {MissingImplementationError} this implementation only decompresses
   * @throws {WorkerCrashedError} the worker crashed
   */
  compress (bytes: Uint8Array, options?: CompressOptions): Uint8Array | Promise<Uint8Array>

  /**
   * Decompress exactly one frame into exactly `size` bytes. Memory depends on `size`, never on
   * a number in the frame. The caller may change or free what it returns, so a cache keeps a copy.
   *
   * @throws {CorruptFrameError} the bytes are not exactly one frame of `size` bytes, or were
   *   compressed with another dictionary
   * @throws {FrameTooLargeError} `size` is more than 16 MiB
   * @throws {DictionaryNotSupportedError} the codec cannot use a dictionary
   * @throws {InvalidDictionaryError} the dictionary is not of 8 bytes to 16 MiB, or is not raw content
   * @throws {MissingImplementationError} this implementation only compresses
   * @throws {WorkerCrashedError} the worker crashed
   */
  decompress (frame: Uint8Array, options: DecompressOptions): Uint8Array | Promise<Uint8Array>

  /**
   * Compress on the calling thread, into the same frame as `compress`, without a promise: for many small files.
   *
   * Optional: codecs from other packages may lack it.
   *
   * @param level - one of the codec's `levels`
   * @param allocate - gives the memory of the frame, of a number of bytes. By default, each frame has memory of its own
   * @returns undefined if it cannot: the implementation is not native zstd, or not loaded yet (see `prepare`)
   */
  compressSync?: (
    bytes: Uint8Array,
    level: number,
    allocate?: (size: number) => Uint8Array
  ) => Uint8Array | undefined

  /**
   * Decompress on the calling thread, like `decompress`.
   *
   * Optional: codecs from other packages may lack it.
   *
   * @param size - how many bytes the frame has to decode to, 0 to 16 MiB
   * @param memory - for them: `size + 1` bytes at least. By default, they have memory of their own
   * @returns undefined if it cannot, or does not decode the frame: `decompress` does, or says why not
   * @throws {CorruptFrameError} the bytes are not exactly one frame that claims to hold `size` bytes
   */
  decompressSync?: (frame: Uint8Array, size: number, memory?: Uint8Array) => Uint8Array | undefined

  /**
   * Load the implementation and start its workers, while the bytes of the first call are still on their way.
   * Returns at once. A failure is left to the calls.
   *
   * Optional: codecs from other packages may lack it.
   */
  prepare?: (options: PrepareOptions) => void

  /**
   * Decompress a stream made by other tools: any number of frames of any size. It reads the
   * source on demand, and memory does not grow with the stream. If the implementation in use
   * cannot read streams, another one of the same codec does.
   *
   * Optional: codecs from other packages may lack it.
   *
   * @throws {CorruptFrameError} the stream is cut short or damaged, or other bytes follow it
   * @throws {WindowTooLargeError} the stream needs a window above `maxWindowSize`
   */
  decompressStream?: (
    source: AsyncIterable<Uint8Array>,
    options?: DecompressStreamOptions
  ) => AsyncGenerator<Uint8Array>
}

export interface CodecInit {
  /**
   * Use only this implementation.
   *
   * @default the first of the codec's implementations that runs on this platform
   */
  implementation?: ImplementationName

  /**
   * Use the implementation that is the same build in Node and in browsers. Then the same bytes
   * and level yield the same frame everywhere, so a file has the same CID. Otherwise each
   * platform uses its fastest implementation.
   *
   * @default false
   */
  deterministic?: boolean

  /**
   * Whether to run WebAssembly and JavaScript in workers, if the platform has workers. If
   * not, they block the calling thread.
   *
   * @default true
   */
  workers?: boolean
}

/**
 * Validate a level, or return the codec's default.
 *
 * @throws {InvalidLevelError} the codec has no such level
 */
export function checkLevel (codec: Pick<Codec, 'name' | 'levels'>, level: number = codec.levels.default): number {
  const { min, max } = codec.levels

  if (!Number.isInteger(level) || level < min || level > max) {
    throw new InvalidLevelError(codec.name, level, min, max)
  }

  return level
}
