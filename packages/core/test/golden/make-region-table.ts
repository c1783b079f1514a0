/**
 * Makes the golden file of format version 2 with a base and a region table: a CAR with a file and its next version.
 * Build first. Never replace a golden file: it shows that later versions still read what an earlier one wrote.
 */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { zstd } from '@ipfsz/codecs/zstd'
import { ipfsz, unmark } from '@ipfsz/core'
import { CarWriter } from '@ipld/car'
import { CID } from 'multiformats/cid'
import { CountingBlockstore, getBlock } from '../fixtures.ts'
import { addInGroups } from '../group-fixtures.ts'
import { LARGE, NEXT } from './content.ts'

const blockstore = new CountingBlockstore()
const base = await ipfsz({ blockstore }).addBytes(LARGE)
const next = await addInGroups(NEXT, zstd(), 'size', blockstore, base)
const { writer, out } = CarWriter.create([unmark(next)])
const writing = pipeline(Readable.from(out), createWriteStream(join(import.meta.dirname, 'region-table.car')))

for (const cid of new Set(blockstore.puts)) {
  await writer.put({ cid: CID.parse(cid), bytes: await getBlock(CID.parse(cid), blockstore) })
}

await writer.close()
await writing
console.info(`${next}`)
