import { hasAddon } from '#platform'
import { hasWasm, runsEverywhere } from './runtime/capabilities.ts'
import { CODES } from './constants.ts'
import { createCodec } from './runtime/create-codec.ts'
import { inWorkers } from './runtime/in-workers.ts'
import type { Codec, CodecInit } from './codec.ts'
import type { CodecDefinition } from './runtime/codec-definition.ts'

export const LZ4: CodecDefinition = {
  name: 'lz4',
  code: CODES.lz4,
  levels: { min: 1, max: 1, default: 1 },
  implementations: [
    // decompressing is half as fast as wasm, and allocates as much memory as each block of a frame claims
    {
      name: 'native',
      only: 'compress',
      available: () => hasAddon('lz4-napi'),
      load: () => import('./impl/lz4-native.ts')
    },
    {
      name: 'wasm',
      everywhere: true,
      available: hasWasm,
      load: () => import('./impl/lz4-wasm.ts'),
      worker: inWorkers(() => import('./generated/lz4-wasm-worker.ts')),
      wasm: () => import('./generated/lz4-module.ts')
    },
    {
      name: 'js',
      available: runsEverywhere,
      load: () => import('./impl/lz4-js.ts'),
      stream: () => import('./stream/lz4.ts'),
      worker: inWorkers(() => import('./generated/lz4-js-worker.ts'))
    }
  ]
}

/**
 * LZ4: one frame (LZ4 Frame Format 1.6) with content size and independent blocks.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function lz4 (init?: CodecInit): Codec {
  return createCodec(LZ4, init)
}
