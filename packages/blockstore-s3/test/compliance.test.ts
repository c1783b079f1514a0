import { randomUUID } from 'node:crypto'
import { interfaceBlockstoreTests } from 'interface-blockstore-tests'
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest'
import { S3Blockstore } from '../src/index.ts'
import { BUCKET, CREDENTIALS, fakeS3 } from '../../../test/support/fake-s3.ts'
import type { FakeS3 } from '../../../test/support/fake-s3.ts'

// the suite expects mocha's globals
Object.assign(globalThis, { afterEach, beforeEach, describe, it })

let s3: FakeS3

beforeAll(async () => { s3 = await fakeS3() })
afterAll(async () => s3.close())

function makeStore (): S3Blockstore {
  return new S3Blockstore({ bucket: BUCKET, prefix: randomUUID(), endpoints: [s3.origin], credentials: CREDENTIALS })
}

describe('S3Blockstore, compliance suite', () => {
  interfaceBlockstoreTests({
    setup: makeStore,
    teardown: async store => store.close()
  })
})
