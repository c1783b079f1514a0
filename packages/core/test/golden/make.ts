/**
 * Makes the golden files of format version 1: for each codec a CAR with a small file, whose
 * stream lies in its root, and one of four frames with a leaf of its own. Run once for each
 * codec, with `node packages/core/test/golden/make.ts CODEC...`, after a build. Never regenerate
 * existing files: they prove that old files stay readable.
 */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CarWriter } from '@ipld/car'
import { ipfsz, unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { CountingBlockstore, getBlock } from '../fixtures.ts'
import { LARGE, SMALL } from './content.ts'
import type { CodecName } from '@ipfsz/codecs'

const FRAME_SIZE = 64 * 1024

for (const codec of process.argv.slice(2) as CodecName[]) {
  const blockstore = new CountingBlockstore()
  const fs = ipfsz({ blockstore })
  const small = await fs.addBytes(SMALL, { compression: { codec } })
  const large = await fs.addBytes(LARGE, { compression: { codec, frameSize: FRAME_SIZE } })
  const { writer, out } = CarWriter.create([unmark(small), unmark(large)])
  const writing = pipeline(Readable.from(out), createWriteStream(join(import.meta.dirname, `${codec}.car`)))

  for (const cid of blockstore.puts.map(text => CID.parse(text))) {
    await writer.put({ cid, bytes: await getBlock(cid, blockstore) })
  }

  await writer.close()
  await writing
  console.info(`  ${codec}: ['${small}', '${large}'],`)
}
