/**
 * @packageDocumentation
 *
 * Compression codecs with one interface: compress bytes into a frame, decompress a frame.
 * Each codec has its own subpath, so a bundle contains only the codecs it uses. Each runs on
 * the best implementation of the platform.
 *
 * @example Compress and decompress
 *
 * ```typescript
 * import { zstd } from '@ipfsz/codecs/zstd'
 *
 * const codec = zstd()
 * const bytes = new TextEncoder().encode('hello '.repeat(100))
 *
 * const frame = await codec.compress(bytes, { level: 3 })
 * const back = await codec.decompress(frame, { size: bytes.byteLength })
 *
 * console.info(frame.byteLength, back.byteLength)
 * ```
 *
 * @example List the codecs and their implementations on this platform
 *
 * ```typescript
 * import { allCodecs } from '@ipfsz/codecs/all'
 *
 * for (const { name, implementation, levels } of allCodecs()) {
 *   console.info(name, implementation, levels.min, levels.max)
 * }
 * ```
 */

export { CODES, FORMATTED_DICTIONARY, MAX_DICTIONARY_SIZE, MAX_FRAME_SIZE, MIN_DICTIONARY_SIZE } from './constants.ts'
export { checkLevel } from './codec.ts'
export type {
  Codec,
  CodecInit,
  CodecName,
  CompressOptions,
  DecompressOptions,
  DecompressStreamOptions,
  ImplementationName,
  Levels,
  PrepareOptions
} from './codec.ts'
export type { CorruptFrameErrorOptions } from './errors.ts'
export {
  CorruptFrameError,
  DictionaryNotSupportedError,
  FrameTooLargeError,
  InvalidDictionaryError,
  InvalidLevelError,
  MissingImplementationError,
  UnknownCodecError,
  WindowTooLargeError,
  WorkerCrashedError,
  WrongFrameError
} from './errors.ts'
