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

export const benchmark: Benchmark = {
  question: 'how much smaller filters make records, and what they cost when a file is added and read',
  inputs: ['file'],

  async run ({ smoke, file }) {
    const bytes = file == null ? points(smoke ? 2000 : RECORDS) : await readFile(file)
    const sides = [{ filters: false, times: [] as number[][] }, { filters: true, times: [] as number[][] }]
    const stored = [0, 0]
    const found = ['none', 'none']

    for (let round = 0; round < (smoke ? 1 : 7); round++) {
      for (const [i, { filters, times }] of sides.entries()) {
        const blockstore = new CountingBlockstore(new MemoryBlockstore())
        const fs = ipfsz({ blockstore }, { codecs: [zstd()] })
        const add = await measure(async () => fs.addBytes(new Uint8Array(bytes), { compression: { filters } }))
        const cat = await measure(async () => Array.fromAsync(fs.cat(add.result)))

        times.push([add.cpu, cat.cpu])
        stored[i] = blockstore.bytes
        const { filters: chosen } = await fs.stat(add.result)
        found[i] = chosen?.map(({ kind, width }) => `${kind} ${width}`).join(', ') ?? 'none'
      }
    }

    const speed = (times: number[][], step: number): number =>
      rounded(bytes.byteLength / 1000 / median(times.map(time => time[step])))

    return sides.map(({ filters, times }, i): Row => ({
      file: file == null ? 'points' : basename(file),
      side: filters ? 'with filters' : 'zstd alone',
      filters: found[i],
      ratio: rounded(stored[i] / bytes.byteLength),
      'add MB/s of processor time': speed(times, 0),
      'read MB/s of processor time': speed(times, 1)
    }))
  }
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
