import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ipfsz, MARKERS, unmark } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { sha256 } from 'multiformats/hashes/sha2'
import { text } from '../test/support/data.ts'
import { measure, median, rotate } from './benchmark.ts'
import { DATASTORES } from './support/link-datastores.ts'
import { LINKS } from './support/paper.ts'
import { withDirectory } from './support/temporary.ts'
import type { Benchmark, Row } from './benchmark.ts'
import type { Read } from './support/read-links.ts'
import type { Link } from '@ipfsz/core'
import type { Blockstore } from 'interface-blockstore'

const FILE_SIZE = 100_000

const READER = join(import.meta.dirname, 'support/read-links.ts')

export const benchmark: Benchmark = {
  question: 'what links between original and compressed CIDs cost: to make, to read in a new process, and to add ' +
    `files with. In the paper's Figure 8, making 1000 links takes ${LINKS.update} ms, reading them ` +
    `${LINKS.recovery} ms, and links take ${LINKS.partOfUpload} of the time of adding`,
  inputs: [],

  async run ({ smoke }) {
    const made = await measureLinks(smoke)
    const { rows, cids } = await measureAdds(smoke)

    return [
      { title: 'Making links, and reading them in a new process', rows: made },
      { title: `Adding files of ${FILE_SIZE / 1000} kB of text, with and without links, on an FsBlockstore`, rows },
      { title: 'What was added first, made by test/support/data.ts', rows: cids }
    ]
  }
}

async function measureLinks (smoke: boolean): Promise<Row[]> {
  const count = smoke ? 20 : 1000
  const rounds = smoke ? 1 : 9
  const blockstore = new MemoryBlockstore()
  const links = await makeLinks(count, blockstore)
  const measured = Object.keys(DATASTORES).map(
    name => ({ name, adds: new Array<number>(), reads: new Array<[Read, Read]>() })
  )

  // every datastore once in each round, so that other load on the machine affects all of them
  for (let round = 0; round < rounds; round++) {
    for (const { name, adds, reads } of measured) {
      await withDirectory(async directory => {
        adds.push(await add(name, directory, links, blockstore))
        reads.push(await readAnew(name, directory, count))
      })
    }
  }

  return measured.map(({ name, adds, reads }) => ({
    datastore: name,
    links: count,
    'make, ms': Math.round(median(adds)),
    'make, spread': range(adds),
    'open, ms': tenth(median(reads.map(([{ open }]) => open))),
    'read, ms': tenth(median(reads.map(([{ read }]) => read))),
    'open and read, ms': tenth(median(reads.map(([{ open, read }]) => open + read))),
    'read, spread': range(reads.map(([{ read }]) => read)),
    'opened again, ms': tenth(median(reads.map(([, { open }]) => open))),
    'read again, ms': tenth(median(reads.map(([, { read }]) => read))),
    'read again, spread': range(reads.map(([, { read }]) => read))
  }))
}

async function add (name: string, directory: string, links: readonly Link[], blockstore: Blockstore): Promise<number> {
  const datastore = await DATASTORES[name].make(directory)
  await datastore.open()
  const fs = ipfsz({ blockstore, datastore })

  const { wall } = await measure(async () => {
    for (const { original, compressed } of links) {
      await fs.links.add(original, compressed, { unchecked: true })
    }
  })

  await datastore.close()

  return wall
}

/** Read the links in a new process, twice. */
async function readAnew (name: string, directory: string, count: number): Promise<[Read, Read]> {
  const { stdout } = await promisify(execFile)(process.execPath, [READER, name, directory])
  const reads = JSON.parse(stdout) as [Read, Read]

  if (reads.some(read => read.count !== count)) {
    throw new Error(`${reads.map(read => read.count).join(' and ')} links were read instead of ${count}`)
  }

  return reads
}

/** Add the same files with and without links. Each round has new stores. */
async function measureAdds (smoke: boolean): Promise<{ rows: Row[], cids: Row[] }> {
  const count = smoke ? 10 : 200
  const files = Array.from({ length: count }, (_, i) => text(FILE_SIZE, i + 1))
  const times = new Map<string, number[]>()
  const cids = new Map<string, string>()

  for (let round = 0; round < (smoke ? 1 : 7); round++) {
    for (const name of rotate(['', ...Object.keys(DATASTORES)], round)) {
      const { wall, first } = await withDirectory(async directory => addFiles(name, directory, files))
      times.set(name, [...times.get(name) ?? [], wall])
      cids.set(name, first)
    }
  }

  const without = median(times.get('') ?? [])

  return {
    rows: Array.from(times, ([name, measured]) => ({
      datastore: titleOf(name),
      files: count,
      'add, ms': tenth(median(measured)),
      'add, spread': range(measured),
      'links cost, %': tenth((median(measured) / without - 1) * 100)
    })),
    cids: Array.from(cids, ([name, cid]) => ({ datastore: titleOf(name), bytes: FILE_SIZE, CID: cid }))
  }
}

function titleOf (name: string): string {
  return name === '' ? 'without links' : name
}

async function addFiles (name: string, directory: string, files: readonly Uint8Array[]): Promise<{
  wall: number
  first: string
}> {
  const blockstore = new FsBlockstore(join(directory, 'blocks'))
  await blockstore.open()
  const datastore = name === '' ? undefined : await DATASTORES[name].make(join(directory, 'links'))
  await datastore?.open()
  const fs = ipfsz({ blockstore, datastore })

  const cids: CID[] = []

  const { wall } = await measure(async () => {
    for (const bytes of files) {
      cids.push(await fs.addBytes(bytes, { link: datastore != null }))
    }
  })

  await datastore?.close()

  return { wall, first: cids[0].toString() }
}

/** Make links, and store the roots that they lead to. */
async function makeLinks (count: number, blockstore: Blockstore): Promise<Link[]> {
  const links: Link[] = []

  for (let i = 0; i < count; i++) {
    const [original, compressed] = await Promise.all(
      ['original', 'compressed'].map(async side => sha256.digest(new TextEncoder().encode(`${side} ${i}`)))
    )
    const link = {
      original: CID.createV1(raw.code, original),
      compressed: CID.createV1(MARKERS.zstd, compressed)
    }

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
