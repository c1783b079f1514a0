import { runsEverywhere } from './runtime/capabilities.ts'
import { CODES } from './constants.ts'
import { createCodec } from './runtime/create-codec.ts'
import type { Codec } from './codec.ts'
import type { CodecDefinition } from './runtime/codec-definition.ts'
import type { ImplementationEntry } from './runtime/implementation-entry.ts'

/** The decoder in JavaScript, on the calling thread. */
export const ZSTD_JS: ImplementationEntry = {
  name: 'js',
  only: 'decompress',
  available: runsEverywhere,
  dictionaries: runsEverywhere,
  load: () => import('./impl/zstd-js.ts'),
  stream: () => import('./stream/zstd-js.ts')
}

export const ZSTD_DECODER: CodecDefinition = {
  name: 'zstd',
  code: CODES.zstd,
  levels: { min: 1, max: 19, default: 3 },
  implementations: [ZSTD_JS]
}

/**
 * Zstandard for programs that only read and must be small, such as service workers: a bundle has no WebAssembly and no
 * workers. Decompresses on the calling thread. `compress` throws a MissingImplementationError.
 */
export function zstdDecoder (): Codec {
  return createCodec(ZSTD_DECODER, { workers: false })
}
