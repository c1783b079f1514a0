/**
 * A Helia node that stores its blocks in an S3 bucket, and has no network. Run as
 * `node node.ts ENDPOINT BUCKET CODEC SEED`.
 *
 * After the first line on stdin it adds files, and prints their CIDs as a line of JSON.
 * The second line holds CIDs: it reads these files, and prints their SHA-256.
 */
import { createHash } from 'node:crypto'
import { createInterface } from 'node:readline'
import { unixfs } from '@helia/unixfs'
import { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import { S3Blockstore } from '@ipfsz/blockstore-s3'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { text } from '../../support/data.ts'
import { storeAt } from './server.ts'
import type { CodecName } from '@ipfsz/codecs'

const [endpoint, bucket, codec, seed] = process.argv.slice(2)
const blockstore = new CompressedBlockstore(new S3Blockstore(storeAt(endpoint, bucket)), {
  codec: codec as CodecName
})
const helia = await createHeliaLight({ blockstore }).start()
const fs = unixfs(helia)
const lines = createInterface(process.stdin)[Symbol.asyncIterator]()

await lines.next()
const added: string[] = []

for (let i = 0; i < 12; i++) {
  // the other node adds the same bytes in every other file, at the same time
  added.push((await fs.addBytes(text(300_000 + i, i % 2 === 0 ? 1 : Number(seed)))).toString())
}

console.info(JSON.stringify(added))
const others = JSON.parse((await lines.next()).value as string) as string[]
const hashes: string[] = []

for (const cid of others) {
  const hash = createHash('sha256')

  for await (const bytes of fs.cat(CID.parse(cid))) {
    hash.update(bytes)
  }

  hashes.push(hash.digest('hex'))
}

console.info(JSON.stringify(hashes))
await helia.stop()
process.exit()
