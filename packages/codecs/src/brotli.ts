import { CODES } from './constants.ts'
import { createCodec } from './create-codec.ts'
import { BROTLI } from './implementations.ts'
import type { Codec, CodecInit } from './codec.ts'

/**
 * Brotli: one stream (RFC 7932). Nothing in it tells its length or guards its bytes.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function brotli (init?: CodecInit): Codec {
  return createCodec({
    name: 'brotli',
    code: CODES.brotli,
    levels: { min: 0, max: 11, default: 4 },
    implementations: BROTLI
  }, init)
}
