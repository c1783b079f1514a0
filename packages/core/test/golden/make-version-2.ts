/**
 * Makes the golden files of format version 2 without bases: CARs with a file that has filters, in each codec, and with
 * two files that are cut by content. Build first. Never replace a golden file: it shows that later versions still
 * read what an earlier one wrote.
 */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CarWriter } from '@ipld/car'
import { ipfsz, unmark } from '@ipfsz/core'
import { CID } from 'multiformats/cid'
import { CountingBlockstore, getBlock } from '../fixtures.ts'
import { SHARED, SHARING, SOUND } from './content.ts'
import type { CompressionOptions } from '@ipfsz/core'

const CODECS = ['zstd', 'gzip', 'lz4', 'brotli', 'snappy', 'lzo'] as const

await make('filters.car', CODECS.map(codec => [SOUND, { codec, frameSize: 64 * 1024, detect: false }]))
await make('cut.car', [SHARED, SHARING].map(bytes => [bytes, { cut: 'content' }]))

async function make (name: string, files: ReadonlyArray<[Uint8Array, CompressionOptions]>): Promise<void> {
  const blockstore = new CountingBlockstore()
  const fs = ipfsz({ blockstore }, { deterministic: true })
  const roots: CID[] = []

  for (const [bytes, compression] of files) {
    roots.push(await fs.addBytes(bytes, { compression }))
  }

  const { writer, out } = CarWriter.create(roots.map(unmark))
  const writing = pipeline(Readable.from(out), createWriteStream(join(import.meta.dirname, name)))

  for (const cid of new Set(blockstore.puts)) {
    await writer.put({ cid: CID.parse(cid), bytes: await getBlock(CID.parse(cid), blockstore) })
  }

  await writer.close()
  await writing
  console.info(`${name}: ${roots.join(', ')}`)
}
