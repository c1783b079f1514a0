/**
 * Makes the golden file of format version 2 with a base: a CAR with a file, its next version, and a small file
 * with a plain base. Build first. Never replace a golden file: it shows that later versions still read what an
 * earlier one wrote.
 */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CarWriter } from '@ipld/car'
import { ipfsz, unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { CountingBlockstore, getBlock } from '../fixtures.ts'
import { DICTIONARY, LARGE, NEXT, SIMILAR } from './content.ts'

const blockstore = new CountingBlockstore()
const fs = ipfsz({ blockstore }, { deterministic: true })
const base = await fs.addBytes(LARGE)
const next = await fs.addBytes(NEXT, { compression: { base, frameSize: 64 * 1024 } })
const dictionary = await fs.addBytes(DICTIONARY, { compression: { codec: 'none' } })
const similar = await fs.addBytes(SIMILAR, { compression: { base: dictionary } })
const { writer, out } = CarWriter.create([next, similar].map(unmark))
const writing = pipeline(Readable.from(out), createWriteStream(join(import.meta.dirname, 'base.car')))

for (const cid of blockstore.puts.map(text => CID.parse(text))) {
  await writer.put({ cid, bytes: await getBlock(cid, blockstore) })
}

await writer.close()
await writing
console.info(`${next}, ${similar}`)
