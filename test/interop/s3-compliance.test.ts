import { randomUUID } from 'node:crypto'
import { registerHooks } from 'node:module'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { S3Blockstore } from '@ipfsz/blockstore-s3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest'
import { startS3, stopS3, storeAt } from './s3/server.ts'
import type { S3Server } from './s3/server.ts'
import type { Verify } from '@ipfsz/blockstore-compressed'
import type { CodecName } from '@ipfsz/codecs'

// the suite expects mocha's globals, and imports a module that it does not depend on
Object.assign(globalThis, { afterEach, beforeEach, describe, it })
registerHooks({
  resolve: (specifier, context, next) => specifier === 'aegir/chai'
    ? { url: new URL('../support/aegir-chai.ts', import.meta.url).href, shortCircuit: true }
    : next(specifier, context)
})
const { interfaceBlockstoreTests } = await import('interface-blockstore-tests')

/** The other codecs are tried in memory, in packages/blockstore-compressed: to a bucket, their values are the same. */
const STORES: Array<{ codec: CodecName | 'none', verify: Verify }> = [
  { codec: 'zstd', verify: 'hash' },
  { codec: 'zstd', verify: 'length' },
  { codec: 'zstd', verify: 'none' },
  { codec: 'none', verify: 'hash' }
]

let server: S3Server

beforeAll(async () => { server = await startS3() })
afterAll(async () => stopS3(server))

async function makeChild (): Promise<S3Blockstore> {
  const child = new S3Blockstore(storeAt(server.endpoint, `ipfsz-${randomUUID()}`), { createIfMissing: true })
  await child.open()

  return child
}

for (const { codec, verify } of STORES) {
  describe(`CompressedBlockstore in an S3 bucket with ${codec}, verify ${verify}, compliance suite`, () => {
    interfaceBlockstoreTests({
      // the blocks of the suite are small, but each should go through the codec
      setup: async () => new CompressedBlockstore(await makeChild(), { codec, verify, minSize: 0 }),
      teardown: async () => {}
    })
  })
}
