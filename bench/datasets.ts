import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { progress, rounded } from './benchmark.ts'
import { databaseReadings, makeDatabase } from './support/datasets/database.ts'
import { makeParquet, parquetReadings } from './support/datasets/parquet.ts'
import { SlowGateway } from './support/datasets/replay.ts'
import { PARQUET_SIDES, SIDES } from './support/datasets/sides.ts'
import { MEGABIT } from './support/links.ts'
import type { Benchmark, Row, Table } from './benchmark.ts'
import type { Reading } from './support/datasets/replay.ts'
import type { Side } from './support/datasets/sides.ts'

const MB = 1e6

/** A link at home. */
const LINK = { rate: 50 * MEGABIT, roundTrip: 50 }

export const benchmark: Benchmark = {
  question: 'what queries of a SQLite database and of a Parquet file fetch from a gateway, by frame and block size',
  inputs: [],

  async run ({ smoke }) {
    const size = (smoke ? 1 : 50) * MB
    // plain, and the default
    const only = (sides: readonly Side[]): Side[] => sides.filter((_, i) => !smoke || i % (sides.length - 1) === 0)
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
    rows.push(...await measureSide(side, bytes, readings))
  }

  return {
    title: `${what} of ${(bytes.byteLength / MB).toFixed(1)} MB, over ${LINK.rate / MEGABIT} Mbit/s with a ` +
      `round trip of ${LINK.roundTrip} ms. Readers have nothing before`,
    // the same reading of all sides, one below the other
    rows: readings.flatMap(({ what }) => rows.filter(({ reading }) => reading === what))
  }
}

async function measureSide ({ side, options }: Side, bytes: Uint8Array, readings: readonly Reading[]): Promise<Row[]> {
  const blocks = new MemoryBlockstore()
  const fs = ipfsz({ blockstore: blocks })
  const cid = await fs.addBytes(bytes, options)
  const { storedSize } = await fs.stat(cid, { extended: true })
  const ratio = Number((Number(storedSize) / bytes.byteLength).toFixed(3))
  const gateway = await SlowGateway.start(blocks, LINK)
  const rows: Row[] = []

  try {
    for (const reading of readings) {
      const { milliseconds, requests, bytes } = await gateway.replay(cid, reading)
      rows.push({
        reading: reading.what,
        side,
        'stored / original': ratio,
        seconds: rounded(milliseconds / 1000),
        requests,
        MB: Number((bytes / MB).toFixed(2))
      })
    }
  } finally {
    await gateway.close()
  }

  return rows
}
