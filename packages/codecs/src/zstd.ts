import { hasZlib } from '#platform'
import { hasWasm, runsEverywhere } from './runtime/capabilities.ts'
import { CODES } from './constants.ts'
import { createCodec } from './runtime/create-codec.ts'
import type { Codec, CodecInit } from './codec.ts'
import type { CodecDefinition } from './runtime/create-codec.ts'

export const ZSTD: CodecDefinition = {
  name: 'zstd',
  code: CODES.zstd,
  levels: { min: 1, max: 19, default: 3 },
  implementations: [
    {
      name: 'native',
      available: () => hasZlib('zstdCompress'),
      load: () => import('./impl/zstd-native.ts'),
      stream: () => import('./stream/zstd-native.ts')
    },
    {
      name: 'wasm',
      everywhere: true,
      available: hasWasm,
      load: () => import('./impl/zstd-wasm.ts'),
      worker: () => import('./generated/zstd-wasm-worker.ts'),
      wasm: () => import('./generated/zstd-module.ts')
    },
    {
      name: 'js',
      only: 'decompress',
      available: runsEverywhere,
      load: () => import('./impl/zstd-js.ts'),
      stream: () => import('./stream/zstd-js.ts'),
      worker: () => import('./generated/zstd-js-worker.ts')
    }
  ]
}

/**
 * Zstandard: one frame (RFC 8878) with its content size in the header.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function zstd (init?: CodecInit): Codec {
  return createCodec(ZSTD, init)
}
