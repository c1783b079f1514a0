import { hasZlib } from '#platform'
import { runsEverywhere } from './runtime/capabilities.ts'
import { CODES } from './constants.ts'
import { createCodec } from './runtime/create-codec.ts'
import { inWorkers } from './runtime/in-workers.ts'
import type { Codec, CodecInit } from './codec.ts'
import type { CodecDefinition } from './runtime/codec-definition.ts'

export const GZIP: CodecDefinition = {
  name: 'gzip',
  code: CODES.gzip,
  levels: { min: 1, max: 9, default: 6 },
  implementations: [
    {
      name: 'native',
      available: () => hasZlib('deflateRaw'),
      load: () => import('./impl/gzip-native.ts'),
      stream: () => import('./stream/gzip-native.ts')
    },
    {
      name: 'js',
      everywhere: true,
      available: runsEverywhere,
      load: () => import('./impl/gzip-js.ts'),
      stream: () => import('./stream/gzip-js.ts'),
      worker: inWorkers(() => import('./generated/gzip-js-worker.ts'))
    }
  ]
}

/**
 * gzip: one member (RFC 1952), mtime 0, OS 255, that `joinMembers` can join with others.
 *
 * @throws {MissingImplementationError} the implementation asked for is not available
 */
export function gzip (init?: CodecInit): Codec {
  return createCodec(GZIP, init)
}
