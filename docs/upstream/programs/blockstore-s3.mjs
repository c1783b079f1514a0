// blockstore-s3 4.0.1: takes wrong credentials for an empty store, and a missing block for a failure
import { createServer } from 'node:http'
import { S3 } from '@aws-sdk/client-s3'
import { S3Blockstore } from 'blockstore-s3'
import { CID } from 'multiformats/cid'

const cid = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')
let status = 403
const server = createServer((_, response) => {
  response.writeHead(status, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>')
})
await new Promise(resolve => { server.listen(0, '127.0.0.1', resolve) })
const s3 = new S3({
  endpoint: `http://127.0.0.1:${server.address().port}`,
  region: 'test',
  forcePathStyle: true,
  credentials: { accessKeyId: 'wrong', secretAccessKey: 'wrong' },
  maxAttempts: 1
})
const store = new S3Blockstore(s3, 'bucket')
const has = await store.has(cid)
status = 404
const missing = await store.get(cid).next().catch(err => err.name)

// prints false, GetFailedError; expected: an error, NotFoundError
console.info(`${has}, ${missing}`)
s3.destroy()
server.close()
