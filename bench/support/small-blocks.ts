import { CompressedBlockstore, stats } from '@ipfsz/blockstore-compressed'
import { MemoryBlockstore } from 'blockstore-core'
import { makeBlocks } from './blockstore-sides.ts'
import type { Row } from '../benchmark.ts'

/** Bytes in a block. */
const SIZES = [64, 96, 128, 192, 256, 1024, 16_384]

/** For blocks of each size, cut from all over the files: how many shrink, and the ratio of all of them. */
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

/** Pieces spread evenly over a file, from its first bytes to its last. */
export function cutPieces (file: Uint8Array, size: number, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => {
    const start = Math.floor((file.byteLength - size) * i / Math.max(1, count - 1))

    return file.subarray(start, start + size)
  })
}
