import { hasZlib, hasZlibDictionaries } from '#platform'
// oxlint-disable-next-line import/no-unassigned-import -- what `load` takes in Node: else the first file waits for it
import '#preloaded'
import { hasWasm, runsEverywhere } from './runtime/capabilities.ts'
import { createCodec } from './runtime/create-codec.ts'
import { inWorkers } from './runtime/in-workers.ts'
import { ZSTD_DECODER, ZSTD_JS } from './zstd-decoder.ts'
import type { Codec, CodecInit } from './codec.ts'
import type { CodecDefinition } from './runtime/codec-definition.ts'

export const ZSTD: CodecDefinition = {
  ...ZSTD_DECODER,
  implementations: [
    {
      name: 'native',
      available: () => hasZlib('zstdCompress'),
      dictionaries: hasZlibDictionaries,
      load: () => import('./impl/zstd-native.ts'),
      stream: () => import('./stream/zstd-native.ts')
    },
    {
      name: 'wasm',
      everywhere: true,
      available: hasWasm,
      dictionaries: runsEverywhere,
      load: () => import('./impl/zstd-wasm.ts'),
      worker: inWorkers(() => import('./generated/zstd-wasm-worker.ts')),
      wasm: () => import('./generated/zstd-module.ts')
    },
    { ...ZSTD_JS, worker: inWorkers(() => import('./generated/zstd-js-worker.ts')) }
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
