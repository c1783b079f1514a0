import { CODES } from './constants.ts'
import { createCodec } from './create-codec.ts'
import { LZO } from './implementations.ts'
import type { Codec, CodecInit } from './codec.ts'

/**
 * LZO: one lzop file, LZO1X in blocks of 256 KiB.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function lzo (init?: CodecInit): Codec {
  return createCodec({
    name: 'lzo',
    code: CODES.lzo,
    levels: { min: 1, max: 1, default: 1 },
    implementations: LZO
  }, init)
}
