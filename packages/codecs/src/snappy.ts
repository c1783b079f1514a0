import { CODES } from './constants.ts'
import { createCodec } from './create-codec.ts'
import { SNAPPY } from './implementations.ts'
import type { Codec, CodecInit } from './codec.ts'

/**
 * Snappy: one stream of the framing format, beginning with its stream identifier.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function snappy (init?: CodecInit): Codec {
  return createCodec({
    name: 'snappy',
    code: CODES.snappy,
    levels: { min: 1, max: 1, default: 1 },
    implementations: SNAPPY
  }, init)
}
