/**
 * Makes the golden files of what version 2 of the format got later: CARs with files whose frames are in groups, with
 * one that has filters of three bytes, and with one that is cut by content, in each codec but zstd. Build first. Never
 * replace a golden file: it shows that later versions still read what an earlier one wrote.
 */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { lz4 } from '@ipfsz/codecs/lz4'
import { zstd } from '@ipfsz/codecs/zstd'
import { ipfsz, unmark } from '@ipfsz/core'
import { CarWriter } from '@ipld/car'
import { CID } from 'multiformats/cid'
import { CountingBlockstore, getBlock } from '../fixtures.ts'
import { addInGroups } from '../group-fixtures.ts'
import { LARGE, REPEATED, SOUND_24 } from './content.ts'

await make('groups.car', async blockstore => [
  await addInGroups(LARGE, zstd(), 'size', blockstore),
  await addInGroups(LARGE, lz4(), 'size', blockstore)
])
await make('filters-24.car', async blockstore => [
  await ipfsz({ blockstore }).addBytes(SOUND_24, { compression: { codec: 'zstd', frameSize: 64 * 1024 } })
])
await make('cut-codecs.car', async blockstore => {
  const fs = ipfsz({ blockstore }, { deterministic: true })
  const roots: CID[] = []

  for (const codec of ['gzip', 'lz4', 'brotli', 'snappy', 'lzo'] as const) {
    roots.push(await fs.addBytes(REPEATED, { compression: { codec, cut: 'content' } }))
  }

  return roots
})

async function make (name: string, add: (blockstore: CountingBlockstore) => Promise<CID[]>): Promise<void> {
  const blockstore = new CountingBlockstore()
  const roots = await add(blockstore)
  const { writer, out } = CarWriter.create(roots.map(unmark))
  const writing = pipeline(Readable.from(out), createWriteStream(join(import.meta.dirname, name)))

  for (const cid of new Set(blockstore.puts)) {
    await writer.put({ cid: CID.parse(cid), bytes: await getBlock(CID.parse(cid), blockstore) })
  }

  await writer.close()
  await writing
  console.info(`${name}: ${roots.join(', ')}`)
}
