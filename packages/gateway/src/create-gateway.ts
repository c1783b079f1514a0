import { isDocument } from '@ipfsz/core'
import { assembleGateway } from './assemble-gateway.ts'
import { addCors } from './cors.ts'
import { followDocument } from './dag/document.ts'
import { respondDocument } from './respond/document/document.ts'
import { ALL_TYPES } from './respond/file/all-types.ts'
import { dictionaries } from './respond/file/dictionary.ts'
import { lruCaches } from './respond/lru-caches.ts'
import { addSandbox } from './respond/sandbox.ts'
import { respondStart } from './respond/start.ts'
import { storedFiles } from './respond/stored-file.ts'
import { respondTar } from './respond/tar/tar.ts'
import { respondBlock } from './respond/trustless/block.ts'
import { respondCar } from './respond/trustless/car.ts'
import type { Gateway, GatewayComponents, GatewayInit } from './contract.ts'
import type { GatewayParts } from './respond/context.ts'

export function allParts (): GatewayParts {
  return {
    responders: {
      raw: respondBlock,
      car: respondCar,
      tar: respondTar,
      json: respondDocument,
      cbor: respondDocument,
      'dag-json': respondDocument,
      'dag-cbor': respondDocument
    },
    respondStart,
    respondDocument,
    storedFiles,
    dictionaries,
    addCors,
    addSandbox,
    types: ALL_TYPES,
    caches: lruCaches()
  }
}

/**
 * A gateway that serves what `components` read. It has no state but caches, and never rejects.
 */
export function createGateway (components: GatewayComponents, init: GatewayInit = {}): Gateway {
  const { fs, blocks, names } = components
  const below = components.below?.bind(components)
  const documents = { isDocument, followDocument }

  return assembleGateway({ fs, blocks, names, documents, ...below == null ? {} : { below } }, init, allParts())
}
