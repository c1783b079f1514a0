import { once } from 'node:events'
import { createServer } from 'node:http'
import { S3 } from '@aws-sdk/client-s3'
import { S3Blockstore } from 'blockstore-s3'
import { CID } from 'multiformats/cid'
import { expect, it, onTestFinished } from 'vitest'
import { mended } from './installed.ts'
import type { AddressInfo } from 'node:net'

const MISSING = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')

it('blockstore-s3 reports a block that is not there as one that cannot be read', async () => {
  const server = createServer((_, response) => {
    response.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>')
  })
  onTestFinished(() => { server.close() })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const s3 = new S3({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'test',
    forcePathStyle: true,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' }
  })
  onTestFinished(() => { s3.destroy() })

  await expect(
    new S3Blockstore(s3, 'bucket').get(MISSING).next(),
    mended('blockstore-s3', 'test/interop/s3/found-or-not.ts')
  ).rejects.toMatchObject({ name: 'GetFailedError' })
})
