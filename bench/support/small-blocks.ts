import { CompressedBlockstore, stats } from '@ipfsz/blockstore-compressed'
import { MemoryBlockstore } from 'blockstore-core'
import { makeBlocks } from './blockstore-sides.ts'
import type { Row } from '../benchmark.ts'

/** Bytes in a block. */
const SIZES = [64, 96, 128, 192, 256, 1024, 16_384]

/** Of pieces from all over the files, how many gain where a block is no larger than that, and what all of them take. */
export async function smallBlocks (files: readonly Uint8Array[], count: number): Promise<Row[]> {
  const rows: Row[] = []

  for (const size of SIZES.filter(size => files.some(({ byteLength }) => byteLength >= size))) {
    const child = new MemoryBlockstore()
    const store = new CompressedBlockstore(child, { minSize: 0 })
    const large = files.filter(({ byteLength }) => byteLength >= size)
    const perFile = Math.ceil(count / large.length)

    for (const { cid, bytes } of await makeBlocks(large.flatMap(file => cutPieces(file, size, perFile)))) {
      await store.put(cid, bytes)
    }

    const { blocks, ratio, codecs } = await stats(child)

    rows.push({
      'bytes in a block': size,
      blocks,
      ratio: Number(ratio.toFixed(3)),
      'gain, %': Math.round((codecs.zstd?.blocks ?? 0) / blocks * 100)
    })
  }

  return rows
}

/** From the first bytes to the last, as far from each other as there is room. */
export function cutPieces (file: Uint8Array, size: number, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => {
    const start = Math.floor((file.byteLength - size) * i / Math.max(1, count - 1))

    return file.subarray(start, start + size)
  })
}
