import { CODES } from './constants.ts'
import { createCodec } from './create-codec.ts'
import { ZSTD } from './implementations.ts'
import type { Codec, CodecInit } from './codec.ts'

/**
 * Zstandard: one frame (RFC 8878) with its content size in the header.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function zstd (init?: CodecInit): Codec {
  return createCodec({
    name: 'zstd',
    code: CODES.zstd,
    levels: { min: 1, max: 19, default: 1 },
    implementations: ZSTD
  }, init)
}
