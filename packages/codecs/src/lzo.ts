import { runsEverywhere } from './runtime/capabilities.ts'
import { CODES } from './constants.ts'
import { createCodec } from './runtime/create-codec.ts'
import { inWorkers } from './runtime/in-workers.ts'
import type { Codec, CodecInit } from './codec.ts'
import type { CodecDefinition } from './runtime/codec-definition.ts'

export const LZO: CodecDefinition = {
  name: 'lzo',
  code: CODES.lzo,
  levels: { min: 1, max: 1, default: 1 },
  implementations: [
    {
      name: 'js',
      everywhere: true,
      available: runsEverywhere,
      load: () => import('./impl/lzo-js.ts'),
      stream: () => import('./stream/lzo.ts'),
      worker: inWorkers(() => import('./generated/lzo-js-worker.ts'))
    }
  ]
}

/**
 * LZO: one lzop file, LZO1X in blocks of 256 KiB.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function lzo (init?: CodecInit): Codec {
  return createCodec(LZO, init)
}
