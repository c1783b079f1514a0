import { InvalidLevelError } from './errors.ts'
import type { CODES } from './constants.ts'

/** The codecs of the format, by name. */
export type CodecName = keyof typeof CODES

/**
 * What runs a codec: `native` is compiled code that the platform or an addon
 * brings, `wasm` a WebAssembly module, `js` plain JavaScript.
 */
export type ImplementationName = 'native' | 'wasm' | 'js'

/** The compression levels of a codec, whole numbers, both ends included. */
export interface Levels {
  readonly min: number
  readonly max: number
  readonly default: number
}

export interface CompressOptions {
  /**
   * How hard to try, within the codec's `levels`.
   *
   * @default the codec's `levels.default`
   */
  level?: number

  /**
   * Let a worker have the memory of the bytes instead of a copy of it. Their whole
   * ArrayBuffer may then be detached, whether the call succeeds or not.
   *
   * @default false
   */
  transfer?: boolean

  /** When aborted, the call rejects with the signal's reason, and what it occupied is free again. */
  signal?: AbortSignal | null | undefined
}

export interface DecompressOptions {
  /** How many bytes the frame must decode to, 0 to 16 MiB. */
  size: number

  /**
   * As in {@link CompressOptions.transfer}, of the frame.
   *
   * @default false
   */
  transfer?: boolean

  /** As in {@link CompressOptions.signal}. */
  signal?: AbortSignal | null | undefined
}

export interface DecompressStreamOptions {
  /**
   * The most bytes that a stream may ask for to look back, which is most of what
   * reading it takes. Streams that ask are those of Zstandard: more than this comes
   * of `zstd --ultra` and of `zstd --long`.
   *
   * @default 8388608
   */
  maxWindowSize?: number | undefined

  /** When aborted, reading ends with the signal's reason. */
  signal?: AbortSignal | null | undefined
}

/**
 * One frame in, one frame out. The frames are those of docs/format.md, section
 * 4: each is complete by itself and is read by the format's own tools.
 *
 * What is given must not change before the promise is settled.
 */
export interface Codec {
  readonly name: CodecName
  /** The marker code, see {@link CODES}. */
  readonly code: number
  readonly levels: Levels
  /** What runs this codec here. */
  readonly implementation: ImplementationName

  /**
   * Compress up to 16 MiB into one frame.
   *
   * @throws {InvalidLevelError} the codec has no such level
   * @throws {FrameTooLargeError} there are more than 16 MiB
   * @throws {MissingImplementationError} this implementation only decompresses
   * @throws {WorkerCrashedError} the worker that ran it ended before its time
   */
  compress (bytes: Uint8Array, options?: CompressOptions): Uint8Array | Promise<Uint8Array>

  /**
   * Decompress exactly one frame into exactly `size` bytes. Never hands out a
   * byte more, and never allocates by a number that the frame claims.
   *
   * @throws {CorruptFrameError} the frame is anything else than that
   * @throws {FrameTooLargeError} `size` is more than 16 MiB
   * @throws {MissingImplementationError} this implementation only compresses
   * @throws {WorkerCrashedError} the worker that ran it ended before its time
   */
  decompress (frame: Uint8Array, options: DecompressOptions): Uint8Array | Promise<Uint8Array>

  /**
   * Decompress a stream of any length that somebody else made: as many frames as the
   * format's own tool takes, of any size. Nothing is read before it is needed, and
   * memory does not grow with the stream. Where the implementation in use reads no
   * streams, another one of the codec does.
   *
   * A codec that was made elsewhere may be without it.
   *
   * @throws {CorruptFrameError} it is cut short or damaged, or other bytes follow it
   * @throws {WindowTooLargeError} it asks for more than `maxWindowSize` bytes
   */
  decompressStream?: (source: AsyncIterable<Uint8Array>, options?: DecompressStreamOptions) => AsyncGenerator<Uint8Array>
}

export interface CodecInit {
  /**
   * Use this implementation and no other.
   *
   * @default the first in the codec's definition that runs here
   */
  implementation?: ImplementationName

  /**
   * Use the one implementation that is the same build in Node and in browsers, so
   * that the same bytes and level give the same frame, and a file the same CID, on
   * both. Without it each platform uses what is fastest there.
   *
   * @default false
   */
  deterministic?: boolean

  /**
   * Run what is not native in workers, off the thread that calls, wherever the
   * platform has workers. With `false` it runs on the thread that calls.
   *
   * @default true
   */
  workers?: boolean
}

/**
 * The level to use, checked.
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
