import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { progress, rounded } from './benchmark.ts'
import { databaseReadings, makeDatabase } from './support/datasets/database.ts'
import { makeParquet, parquetReadings } from './support/datasets/parquet.ts'
import { SlowGateway } from './support/datasets/replay.ts'
import { MEGABIT } from './support/links.ts'
import type { Benchmark, Row, Table } from './benchmark.ts'
import type { Reading } from './support/datasets/replay.ts'
import type { AddOptions } from '@ipfsz/core'

const KIB = 1024
const MB = 1e6

/** A link at home. */
const LINK = { rate: 50 * MEGABIT, roundTrip: 50 }

/** How a file is added. */
interface Side {
  side: string
  options: AddOptions
}

/** Frames and blocks in KiB. A block is shared by frames up to its size. */
function framed (frame: number, block: number): Side {
  return {
    side: `frames of ${frame} KiB, blocks of up to ${block} KiB`,
    options: { compression: { codec: 'zstd', frameSize: frame * KIB, leafSize: block * KIB, detect: false } }
  }
}

function plain (block: number): Side {
  return {
    side: `plain, blocks of ${block} KiB`,
    options: { compression: { codec: 'none' }, chunker: fixedSize({ chunkSize: block * KIB }) }
  }
}

const SIDES: readonly Side[] = [
  plain(1024),
  plain(256),
  plain(64),
  framed(64, 1),
  framed(64, 32),
  framed(64, 64),
  framed(64, 128),
  framed(64, 256),
  framed(64, 1024),
  framed(128, 64),
  framed(256, 128),
  framed(256, 1024),
  framed(1024, 1024),
  framed(4096, 1024)
]

/** The sides that Parquet is measured with. */
const PARQUET_SIDES = SIDES.filter(({ side }) => !/ (?:1|32|128) KiB/.test(side))

export const benchmark: Benchmark = {
  question: 'what queries of a SQLite database and of a Parquet file fetch from a gateway, by frame and block size',
  inputs: [],

  async run ({ smoke }) {
    const size = (smoke ? 1 : 50) * MB
    const only = (sides: readonly Side[]): Side[] => sides.filter((_, i) => !smoke || i % 5 === 0)
    const database = await makeDatabase(size)
    const tables = [
      await measureFile('A SQLite database', database, await databaseReadings(database), only(SIDES))
    ]

    for (const codec of ['UNCOMPRESSED', 'SNAPPY'] as const) {
      const file = makeParquet(size, codec)
      const readings = await parquetReadings(file)
      tables.push(await measureFile(`A Parquet file, ${codec.toLowerCase()}`, file, readings, only(PARQUET_SIDES)))
    }

    return tables
  }
}

async function measureFile (
  what: string,
  bytes: Uint8Array,
  readings: readonly Reading[],
  sides: readonly Side[]
): Promise<Table> {
  const rows: Row[] = []

  for (const side of sides) {
    progress(`${what}: ${side.side}`)
    rows.push(await measureSide(side, bytes, readings))
  }

  return {
    title: `${what} of ${(bytes.byteLength / MB).toFixed(1)} MB, over ${LINK.rate / MEGABIT} Mbit/s with a ` +
      `round trip of ${LINK.roundTrip} ms. Seconds, requests and MB of each reading. Readers have nothing before`,
    rows
  }
}

async function measureSide ({ side, options }: Side, bytes: Uint8Array, readings: readonly Reading[]): Promise<Row> {
  const blocks = new MemoryBlockstore()
  const fs = ipfsz({ blockstore: blocks })
  const cid = await fs.addBytes(bytes, options)
  const { storedSize } = await fs.stat(cid, { extended: true })
  const gateway = await SlowGateway.start(blocks, LINK)
  const row: Row = { side, 'stored / original': Number((Number(storedSize) / bytes.byteLength).toFixed(3)) }

  try {
    for (const reading of readings) {
      const { milliseconds, requests, bytes } = await gateway.replay(cid, reading)
      row[reading.what] = `${rounded(milliseconds / 1000)} s, ${requests}, ${(bytes / MB).toFixed(2)}`
    }
  } finally {
    await gateway.close()
  }

  return row
}
