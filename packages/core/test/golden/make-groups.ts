/**
 * Makes the golden file of format version 2 with frames in groups in the codecs that got them later: a CAR with a file
 * of each. Build first. Never replace a golden file: it shows that later versions still read what an earlier one wrote.
 */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { codecs } from '@ipfsz/codecs/all'
import { unmark } from '@ipfsz/core'
import { CarWriter } from '@ipld/car'
import { CID } from 'multiformats/cid'
import { CountingBlockstore, getBlock } from '../fixtures.ts'
import { addInGroups } from '../group-fixtures.ts'
import { LARGE } from './content.ts'

const blockstore = new CountingBlockstore()
const roots: CID[] = []

for (const codec of ['gzip', 'brotli', 'snappy', 'lzo'] as const) {
  roots.push(await addInGroups(LARGE, codecs[codec](), 'size', blockstore))
}

const { writer, out } = CarWriter.create(roots.map(unmark))
const writing = pipeline(Readable.from(out), createWriteStream(join(import.meta.dirname, 'groups-codecs.car')))

for (const cid of new Set(blockstore.puts)) {
  await writer.put({ cid: CID.parse(cid), bytes: await getBlock(CID.parse(cid), blockstore) })
}

await writer.close()
await writing
console.info(roots.join('\n'))
