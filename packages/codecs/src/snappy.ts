import { hasAddon } from '#platform'
import { hasWasm, runsEverywhere } from './runtime/capabilities.ts'
import { CODES } from './constants.ts'
import { createCodec } from './runtime/create-codec.ts'
import { inWorkers } from './runtime/in-workers.ts'
import type { Codec, CodecInit } from './codec.ts'
import type { CodecDefinition } from './runtime/codec-definition.ts'

export const SNAPPY: CodecDefinition = {
  name: 'snappy',
  code: CODES.snappy,
  levels: { min: 1, max: 1, default: 1 },
  implementations: [
    {
      name: 'native',
      available: () => hasAddon('snappy'),
      load: () => import('./impl/snappy-native.ts'),
      stream: () => import('./stream/snappy-native.ts')
    },
    {
      name: 'wasm',
      everywhere: true,
      available: hasWasm,
      load: () => import('./impl/snappy-wasm.ts'),
      stream: () => import('./stream/snappy-wasm.ts'),
      worker: inWorkers(() => import('./generated/snappy-wasm-worker.ts')),
      wasm: () => import('./generated/snappy-module.ts')
    },
    {
      name: 'js',
      available: runsEverywhere,
      load: () => import('./impl/snappy-js.ts'),
      stream: () => import('./stream/snappy-js.ts'),
      worker: inWorkers(() => import('./generated/snappy-js-worker.ts'))
    }
  ]
}

/**
 * Snappy: one stream of the framing format, beginning with its stream identifier.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function snappy (init?: CodecInit): Codec {
  return createCodec(SNAPPY, init)
}
