import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { MemoryBlockstore } from 'blockstore-core'
import { ipfsz } from '@ipfsz/core/with-codecs'
import { zstd } from '@ipfsz/codecs/zstd'
import { random } from '../test/support/data.ts'
import { measure, median, rounded } from './benchmark.ts'
import { CountingBlockstore } from './support/blocks.ts'
import type { Benchmark, Row } from './benchmark.ts'

const RECORDS = 200_000
/** A small survey, of 34 kB: there the trials take most of the time. */
const FEW_RECORDS = 1200
/** Original bytes that are added for each time that is taken. */
const MEASURED = 5_000_000

export const benchmark: Benchmark = {
  question: 'how much smaller filters make records, and what they cost when a file is added and read',
  inputs: ['file'],

  async run ({ smoke, file }) {
    const inputs: Array<[string, Uint8Array]> = file == null
      ? [['points', points(smoke ? 2000 : RECORDS)], ['few points', points(FEW_RECORDS)]]
      : [[basename(file), await readFile(file)]]

    return (await Array.fromAsync(inputs, async ([name, bytes]) => measureFile(name, bytes, smoke))).flat()
  }
}

/** Add and read one file again and again, without filters and with them in turn. */
async function measureFile (name: string, bytes: Uint8Array, smoke: boolean): Promise<Row[]> {
  const sides = [false, true].map(filters => ({ filters, add: [0], read: [0], stored: 0, found: 'none' }))
  const copies = Array.from({ length: smoke ? 1 : Math.ceil(MEASURED / bytes.byteLength) }, () => bytes.slice())

  for (let round = 0; round < (smoke ? 1 : 9); round++) {
    for (const side of sides) {
      const blockstore = new CountingBlockstore(new MemoryBlockstore())
      const fs = ipfsz({ blockstore }, { codecs: [zstd()] })
      const options = { compression: { filters: side.filters } }
      const add = await measure(async () => Array.fromAsync(copies, async copy => fs.addBytes(copy, options)))
      const read = await measure(async () => Array.fromAsync(add.result, async cid => Array.fromAsync(fs.cat(cid))))
      const { filters } = await fs.stat(add.result[0])

      side.add[round] = add.cpu
      side.read[round] = read.cpu
      side.stored = blockstore.bytes
      side.found = filters?.map(({ kind, width }) => `${kind} ${width}`).join(', ') ?? 'none'
    }
  }

  const speed = (times: number[]): number => rounded(copies.length * bytes.byteLength / 1000 / median(times))

  return sides.map(({ filters, add, read, stored, found }): Row => ({
    file: name,
    side: filters ? 'with filters' : 'zstd alone',
    filters: found,
    ratio: rounded(stored / bytes.byteLength),
    'add MB/s of processor time': speed(add),
    'read MB/s of processor time': speed(read)
  }))
}

/** A point cloud as surveys have it: records of 28 bytes with places that move slowly, noise, flags and a clock. */
function points (count: number): Uint8Array {
  const next = random(1)
  const view = new DataView(new ArrayBuffer(28 * count))

  for (let i = 0; i < count; i++) {
    const at = 28 * i
    view.setInt32(at, 40_000 + 13 * (i % 1000) + next() % 8, true)
    view.setInt32(at + 4, 90_000 + 17 * Math.floor(i / 1000) + next() % 8, true)
    view.setInt32(at + 8, Math.round(3000 * Math.sin(i / 900)) + next() % 16, true)
    view.setUint16(at + 12, next() % 256, true)
    view.setUint8(at + 14, 0x49)
    view.setFloat64(at + 20, 40_000 + i / 2 ** 14, true)
  }

  return new Uint8Array(view.buffer)
}
