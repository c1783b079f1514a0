/**
 * Makes the golden file of format version 2 with a dictionary: a CAR with a directory whose files share one. Build
 * first. Never replace a golden file: it shows that later versions still read what an earlier one wrote.
 */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CarWriter } from '@ipld/car'
import { ipfsz, unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { CountingBlockstore, getBlock } from '../fixtures.ts'
import { PAGES } from './content.ts'

const blockstore = new CountingBlockstore()
const fs = ipfsz({ blockstore }, { deterministic: true })
const files = PAGES.map((content, i) => ({ path: `pages/${i}.html`, content }))
const results = await Array.fromAsync(fs.addAll(files, { compression: { dictionaries: 'auto' } }))
const { cid } = results[results.length - 1]
const { writer, out } = CarWriter.create([unmark(cid)])
const writing = pipeline(Readable.from(out), createWriteStream(join(import.meta.dirname, 'dictionary.car')))

for (const text of new Set(blockstore.puts)) {
  await writer.put({ cid: CID.parse(text), bytes: await getBlock(CID.parse(text), blockstore) })
}

await writer.close()
await writing
console.info(`${cid}, ${(await fs.stat(cid, { path: '0.html' })).base}`)
