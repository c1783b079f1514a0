import { hasZlib } from '#platform'
import { hasWasm } from './runtime/capabilities.ts'
import { CODES } from './constants.ts'
import { createCodec } from './runtime/create-codec.ts'
import { inWorkers } from './runtime/in-workers.ts'
import type { Codec, CodecInit } from './codec.ts'
import type { CodecDefinition } from './runtime/codec-definition.ts'

export const BROTLI: CodecDefinition = {
  name: 'brotli',
  code: CODES.brotli,
  levels: { min: 0, max: 11, default: 4 },
  implementations: [
    {
      name: 'native',
      available: () => hasZlib('brotliCompress'),
      load: () => import('./impl/brotli-native.ts'),
      stream: () => import('./stream/brotli-native.ts')
    },
    // two modules, because the one that compresses is six times as large
    {
      name: 'wasm',
      only: 'compress',
      everywhere: true,
      available: hasWasm,
      load: () => import('./impl/brotli-compress-wasm.ts'),
      worker: inWorkers(() => import('./generated/brotli-compress-wasm-worker.ts')),
      wasm: () => import('./generated/brotli-compress-module.ts')
    },
    {
      name: 'wasm',
      only: 'decompress',
      everywhere: true,
      available: hasWasm,
      load: () => import('./impl/brotli-decompress-wasm.ts'),
      stream: () => import('./stream/brotli-wasm.ts'),
      worker: inWorkers(() => import('./generated/brotli-decompress-wasm-worker.ts')),
      wasm: () => import('./generated/brotli-decompress-module.ts')
    }
  ]
}

/**
 * Brotli: one stream (RFC 7932). It has neither a content size nor a checksum.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function brotli (init?: CodecInit): Codec {
  return createCodec(BROTLI, init)
}
