import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { random, text } from '../../../test/support/data.ts'
import type { Part, Reading } from './replay.ts'

/** About as many bytes as a row takes, uncompressed. */
const ROW_SIZE = 60
const ROW_GROUP = 50_000

export type ParquetCodec = 'UNCOMPRESSED' | 'SNAPPY'

/** Measurements of stations: a number, a short text of few values, a decimal, and a text. */
export function makeParquet (size: number, codec: ParquetCodec): Uint8Array {
  const next = random(5)
  const words = Buffer.from(text(50_000, 4)).toString().split(/\s/)
  const phrase = (): string => Array.from({ length: 6 }, () => words[next() % words.length]).join(' ')
  const rows = Math.floor(size / ROW_SIZE)
  const column = <Value>(make: (row: number) => Value): Value[] => Array.from({ length: rows }, (_, row) => make(row))

  return new Uint8Array(parquetWriteBuffer({
    codec,
    rowGroupSize: ROW_GROUP,
    columnData: [
      { name: 'id', type: 'INT32', data: column(row => row) },
      { name: 'station', type: 'STRING', data: column(() => `station ${next() % 500}`) },
      { name: 'temperature', type: 'DOUBLE', data: column(() => (next() % 6000 - 2000) / 100) },
      { name: 'note', type: 'STRING', data: column(phrase) }
    ]
  }))
}

/** What hyparquet reads of a file for some questions. */
export async function parquetReadings (bytes: Uint8Array): Promise<Reading[]> {
  const readings: Reading[] = []
  const plans = {
    'one column': { columns: ['temperature'] },
    'one group of rows': { rowStart: ROW_GROUP, rowEnd: 2 * ROW_GROUP },
    everything: {}
  }

  for (const [what, options] of Object.entries(plans)) {
    const parts: Part[] = []
    const file = {
      byteLength: bytes.byteLength,
      async slice (start: number, end = bytes.byteLength): Promise<ArrayBuffer> {
        parts.push({ offset: start, length: end - start })

        return bytes.slice(start, end).buffer
      }
    }
    const metadata = await parquetMetadataAsync(file)
    await parquetReadObjects({ file, metadata, ...options })
    readings.push({ what, parts })
  }

  return readings
}
