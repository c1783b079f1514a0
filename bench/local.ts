import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unixfs } from '@helia/unixfs'
import { ipfsz } from '@ipfsz/core'
import { FsBlockstore } from 'blockstore-fs'
import { text } from '../test/support/data.ts'
import { measure, median, spread } from './benchmark.ts'
import type { Benchmark, Time } from './benchmark.ts'
import type { CID } from 'multiformats/cid'

const MB = 1e6

/** What both sides have in common. */
interface Files {
  addByteStream (bytes: AsyncIterable<Uint8Array>): Promise<CID>
  addBytes (bytes: Uint8Array): Promise<CID>
  cat (cid: CID): AsyncIterable<Uint8Array>
}

interface Side {
  name: string
  on (blockstore: FsBlockstore): Files
}

const SIDES: Side[] = [
  { name: '@helia/unixfs', on: blockstore => unixfs({ blockstore }) },
  { name: 'ipfsz, zstd 1', on: blockstore => ipfsz({ blockstore }) },
  { name: 'ipfsz, zstd 3', on: blockstore => withCompression(blockstore, { codec: 'zstd', level: 3 }) },
  { name: 'ipfsz, lz4', on: blockstore => withCompression(blockstore, { codec: 'lz4' }) },
  { name: 'ipfsz, gzip 6', on: blockstore => withCompression(blockstore, { codec: 'gzip' }) }
]

/** How a file gets to `add`: as Node streams it by default, in larger pieces, or all of it at once. */
const SOURCES: Array<{ name: string, add: (files: Files, file: string, bytes: Uint8Array) => Promise<CID> }> = [
  { name: 'add, 64 KiB reads', add: async (files, file) => files.addByteStream(createReadStream(file)) },
  { name: 'add, 4 MiB reads', add: async (files, file) => files.addByteStream(createReadStream(file, { highWaterMark: 4 * 1024 * 1024 })) },
  { name: 'add, from memory', add: async (files, _, bytes) => files.addBytes(bytes) }
]

function withCompression (blockstore: FsBlockstore, compression: { codec: 'zstd' | 'lz4' | 'gzip', level?: number }): Files {
  const fs = ipfsz({ blockstore })

  return {
    addByteStream: async bytes => fs.addByteStream(bytes, { compression }),
    addBytes: async bytes => fs.addBytes(bytes, { compression }),
    cat: cid => fs.cat(cid)
  }
}

export const benchmark: Benchmark = {
  question: 'how long adding and reading a text file takes against plain @helia/unixfs, both on an FsBlockstore',

  async run ({ smoke, file }) {
    const directory = await mkdtemp(join(tmpdir(), 'ipfsz-bench-'))

    try {
      const path = file ?? join(directory, 'text')

      if (file == null) {
        await writeFile(path, text(smoke ? 5 * MB : 100 * MB))
      }

      return await compare(path, directory, smoke ? 1 : 7)
    } finally {
      await rm(directory, { recursive: true })
    }
  }
}

/** Every side once in each round, so that whatever else the machine does falls on all of them. */
async function compare (path: string, directory: string, rounds: number): Promise<Array<Record<string, string | number>>> {
  const bytes = await readFile(path)
  const times = new Map<string, Time[]>()
  const note = (side: string, what: string, time: Time): unknown => times.set(`${side}\n${what}`, [...times.get(`${side}\n${what}`) ?? [], time])

  for (let round = 0; round < rounds; round++) {
    for (const source of SOURCES) {
      for (const { name, on } of SIDES) {
        const store = join(directory, 'blocks')
        const blockstore = new FsBlockstore(store)
        await blockstore.open()
        const files = on(blockstore)
        let added: CID | undefined

        note(name, source.name, await measure(async () => { added = await source.add(files, path, bytes) }))

        if (source === SOURCES[0]) {
          note(name, 'cat', await measure(async () => readAll(files, added, bytes.byteLength)))
        }

        await rm(store, { recursive: true })
      }
    }
  }

  return [...times].map(([key, measured]) => {
    const [side, what] = key.split('\n')
    const wall = measured.map(time => time.wall)
    const plain = times.get(`${SIDES[0].name}\n${what}`)?.map(time => time.wall) ?? wall

    return {
      what,
      side,
      'MB/s': Math.round(bytes.byteLength / MB / median(wall) * 1000),
      'times as fast': Number((median(plain) / median(wall)).toFixed(2)),
      'ms, median': Math.round(median(wall)),
      'ms, spread': spread(wall),
      'CPU ms': Math.round(median(measured.map(time => time.cpu)))
    }
  }).toSorted((a, b) => a.what.localeCompare(b.what))
}

async function readAll (files: Files, cid: CID | undefined, size: number): Promise<void> {
  let read = 0

  for await (const chunk of files.cat(cid as CID)) {
    read += chunk.byteLength
  }

  if (read !== size) {
    throw new Error(`${read} bytes were read instead of ${size}`)
  }
}
