import { describe, expect, it } from 'vitest'
import { blockBatches } from '../src/car/block-batches.ts'

async function sizesOf (sizes: number[], maxSize: number): Promise<number[][]> {
  const blocks = (async function * () {
    for (const size of sizes) {
      yield { bytes: new Uint8Array(size) }
    }
  })()

  return Array.fromAsync(blockBatches(blocks, maxSize), batch => batch.map(({ bytes }) => bytes.byteLength))
}

describe('the batches in which the blocks of a CAR are stored', () => {
  it('have at most so many bytes, and a larger block is alone', async () => {
    await expect(sizesOf([3, 3, 4, 1, 20, 0, 10, 1], 10)).resolves.toEqual([[3, 3, 4], [1], [20], [0, 10], [1]])
  })

  it('have at most 50 blocks', async () => {
    const batches = await sizesOf(Array(120).fill(1), 1000)

    expect(batches.map(({ length }) => length)).toEqual([50, 50, 20])
  })

  it('do not exist for a CAR without blocks', async () => {
    await expect(sizesOf([], 10)).resolves.toEqual([])
  })
})
