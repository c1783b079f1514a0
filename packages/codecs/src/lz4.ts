import { CODES } from './constants.ts'
import { createCodec } from './create-codec.ts'
import { LZ4 } from './implementations.ts'
import type { Codec, CodecInit } from './codec.ts'

/**
 * LZ4: one frame (LZ4 Frame Format 1.6) with content size and independent blocks.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function lz4 (init?: CodecInit): Codec {
  return createCodec({
    name: 'lz4',
    code: CODES.lz4,
    levels: { min: 1, max: 1, default: 1 },
    implementations: LZ4
  }, init)
}
