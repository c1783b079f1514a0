/**
 * @packageDocumentation
 *
 * Compression codecs with one interface: one frame in, one frame out. Each is a
 * subpath of its own, so that a bundle holds only what it uses, and each runs on
 * the best implementation that the platform has.
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
 * @example What runs each codec here
 *
 * ```typescript
 * import { allCodecs } from '@ipfsz/codecs/all'
 *
 * for (const { name, implementation, levels } of allCodecs()) {
 *   console.info(name, implementation, levels.min, levels.max)
 * }
 * ```
 */

export { CODES, MAX_FRAME_SIZE } from './constants.ts'
export { checkLevel } from './codec.ts'
export type { Codec, CodecInit, CodecName, CompressOptions, DecompressOptions, DecompressStreamOptions, ImplementationName, Levels } from './codec.ts'
export { CorruptFrameError, FrameTooLargeError, InvalidLevelError, MissingImplementationError, UnknownCodecError, WindowTooLargeError, WorkerCrashedError } from './errors.ts'
