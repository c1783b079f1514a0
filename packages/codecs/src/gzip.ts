import { CODES } from './constants.ts'
import { createCodec } from './create-codec.ts'
import { GZIP } from './implementations.ts'
import type { Codec, CodecInit } from './codec.ts'

/**
 * gzip: one member (RFC 1952), mtime 0, OS 255.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function gzip (init?: CodecInit): Codec {
  return createCodec({
    name: 'gzip',
    code: CODES.gzip,
    levels: { min: 1, max: 9, default: 6 },
    implementations: GZIP
  }, init)
}
