import { S3 } from '@aws-sdk/client-s3'
import { S3Blockstore } from 'blockstore-s3'
import { CID } from 'multiformats/cid'
import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { listen } from '../support/listen.ts'
import { mended } from './installed.ts'
import type { Listening } from '../support/listen.ts'

const MISSING = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')
const OURS = 'packages/blockstore-s3'

let server: Listening
let s3: S3
let store: S3Blockstore
let status: number
let body: string
let methods: string[]

beforeAll(async () => {
  server = await listen(createServer(({ method = '' }, response) => {
    methods.push(method)
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body)
  }))
  s3 = new S3({
    endpoint: `http://127.0.0.1:${server.port}`,
    region: 'test',
    forcePathStyle: true,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1
  })
  store = new S3Blockstore(s3, 'bucket')
})

beforeEach(() => { methods = [] })

afterAll(async () => {
  s3.destroy()
  await server.close()
})

function answer (withStatus: number, withBody: string): void {
  status = withStatus
  body = withBody
}

it('blockstore-s3 reports a block that is not there as one that cannot be read, without a cause', async () => {
  answer(404, '<Error><Code>NoSuchKey</Code></Error>')

  const reading = store.get(MISSING).next()
  await expect(reading, mended('blockstore-s3', OURS)).rejects.toMatchObject({ name: 'GetFailedError' })
  await expect(reading).rejects.not.toHaveProperty('cause')
})

it('blockstore-s3 takes a refusal for a block that is not there', async () => {
  answer(403, '')

  expect(await store.has(MISSING), mended('blockstore-s3', OURS)).toBe(false)
})

it('blockstore-s3 creates a bucket after any failure', async () => {
  answer(503, '')
  await expect(new S3Blockstore(s3, 'bucket', { createIfMissing: true }).open()).rejects.toThrow()

  expect(methods, mended('blockstore-s3', OURS)).toEqual(['HEAD', 'PUT'])
})

it.each([
  ['is empty', ''],
  ['has an object of somebody else', '<Contents><Key>readme.txt</Key></Contents>']
])('blockstore-s3 cannot list a bucket that %s', async (_, contents) => {
  answer(200, `<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`)

  await expect(store.getAll().next(), mended('blockstore-s3', OURS)).rejects.toMatchObject({ name: 'GetFailedError' })
})
