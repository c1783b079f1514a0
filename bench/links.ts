import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ipfsz, MARKERS, unmark } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { measure, median } from './benchmark.ts'
import { DATASTORES } from './link-datastores.ts'
import type { Benchmark } from './benchmark.ts'
import type { Read } from './read-links.ts'
import type { Link } from '@ipfsz/core'
import type { Blockstore } from 'interface-blockstore'

const READER = join(import.meta.dirname, 'read-links.ts')

export const benchmark: Benchmark = {
  question: 'how long making links takes, one after the other, and reading all of them in a new process',

  async run ({ smoke }) {
    const count = smoke ? 20 : 1000
    const rounds = smoke ? 1 : 9
    const blockstore = new MemoryBlockstore()
    const links = await makeLinks(count, blockstore)
    const rows: Array<Record<string, string | number>> = []

    for (const name of Object.keys(DATASTORES)) {
      const adds: number[] = []
      const reads: Array<[Read, Read]> = []

      for (let round = 0; round < rounds; round++) {
        const directory = await mkdtemp(join(tmpdir(), 'ipfsz-bench-'))

        try {
          adds.push(await add(name, directory, links, blockstore))
          reads.push(await readAnew(name, directory, count))
        } finally {
          await rm(directory, { recursive: true })
        }
      }

      rows.push({
        datastore: name,
        links: count,
        'make, ms': Math.round(median(adds)),
        'make, spread': range(adds),
        'open, ms': tenth(median(reads.map(([{ open }]) => open))),
        'read, ms': tenth(median(reads.map(([{ read }]) => read))),
        'read, spread': range(reads.map(([{ read }]) => read)),
        'opened again, ms': tenth(median(reads.map(([, { open }]) => open))),
        'read again, ms': tenth(median(reads.map(([, { read }]) => read))),
        'read again, spread': range(reads.map(([, { read }]) => read))
      })
    }

    return rows
  }
}

async function add (name: string, directory: string, links: readonly Link[], blockstore: Blockstore): Promise<number> {
  const datastore = await DATASTORES[name].make(directory)
  await datastore.open()
  const fs = ipfsz({ blockstore, datastore })

  const { wall } = await measure(async () => {
    for (const { original, compressed } of links) {
      await fs.links.add(original, compressed)
    }
  })

  await datastore.close()

  return wall
}

/** Read them in a new process: once, and once more. */
async function readAnew (name: string, directory: string, count: number): Promise<[Read, Read]> {
  const { stdout } = await promisify(execFile)(process.execPath, [READER, name, directory])
  const reads = JSON.parse(stdout) as [Read, Read]

  if (reads.some(read => read.count !== count)) {
    throw new Error(`${reads.map(read => read.count).join(' and ')} links were read instead of ${count}`)
  }

  return reads
}

/** Links of files whose roots are stored. */
async function makeLinks (count: number, blockstore: Blockstore): Promise<Link[]> {
  const links: Link[] = []

  for (let i = 0; i < count; i++) {
    const [original, compressed] = await Promise.all(['original', 'compressed'].map(async side => sha256.digest(new TextEncoder().encode(`${side} ${i}`))))
    const link = { original: CID.createV1(raw.code, original), compressed: CID.createV1(MARKERS['ipfsz-zstd'], compressed) }

    await blockstore.put(unmark(link.compressed), Uint8Array.of(0))
    links.push(link)
  }

  return links
}

function range (values: readonly number[]): string {
  return `${tenth(Math.min(...values))}-${tenth(Math.max(...values))}`
}

function tenth (value: number): number {
  return Number(value.toFixed(1))
}
