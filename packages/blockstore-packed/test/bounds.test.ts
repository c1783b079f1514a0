/** What docs/packs.md says of files and memory, by the code that decides it. */
import { describe, expect, it } from 'vitest'
import { DEFAULT_PACK_SIZE, MAX_PACK_ENTRIES } from '../src/constants.ts'
import { bitsFor, sizeOfPages, sizeOfPrints } from '../src/entries/segment-format.ts'
import { chooseSmall } from '../src/store/choose-packs.ts'
import { chooseSegments } from '../src/store/merge-segments.ts'
import { coveredPack } from '../src/store/pack-state.ts'
import type { Segment } from '../src/entries/segment.ts'

/** Add files one by one, and merge as a store does. */
function merged<T> (
  count: number,
  add: () => T,
  merge: (files: T[]) => { chosen: T[], result: T, size: number } | undefined
): { files: T[], most: number, rewritten: number } {
  let files: T[] = []
  let most = 0
  let rewritten = 0

  for (let i = 0; i < count; i++) {
    files.push(add())
    most = Math.max(most, files.length)

    for (let step = merge(files); step != null; step = merge(files)) {
      const { chosen, result, size } = step
      files = [...files.filter(file => !chosen.includes(file)), result]
      rewritten += size
    }
  }

  return { files, most, rewritten }
}

describe('10^8 blocks', () => {
  it('take 5.4 GB of index in 40 files at most, with 10 MB in memory, and each entry is rewritten three times', () => {
    const packs = Math.ceil(1e8 / MAX_PACK_ENTRIES)
    const { files, most, rewritten } = merged(packs, () => ({ entries: MAX_PACK_ENTRIES }) as Segment, all => {
      const chosen = chooseSegments(all)
      const entries = chosen?.reduce((sum, { entries }) => sum + entries, 0) ?? 0

      return chosen && { chosen, result: { entries } as Segment, size: entries }
    })

    expect(most).toBeLessThan(40)
    expect(rewritten / 1e8).toBeLessThan(4)
    const bytes = files.reduce((sum, { entries }) => sum + sizeOfPages(entries) + sizeOfPrints(entries), 0)
    expect(bytes).toBeLessThan(5.5e9)
    expect(files.reduce((sum, { entries }) => sum + 2 ** bitsFor(entries) * 4, 0)).toBeLessThan(10e6)
  })
})

describe('packs of processes that add one file each', () => {
  it.each([100, 5000, 100_000])('are few after %i of them, and each byte is rewritten a few times', count => {
    const size = 400
    const { most, rewritten } = merged(count, () => packOf(size), packs => {
      const chosen = chooseSmall(packs, DEFAULT_PACK_SIZE)
      const size = chosen.reduce((sum, { size }) => sum + size, 0)

      return chosen.length === 0 ? undefined : { chosen, result: packOf(size), size }
    })

    expect(most).toBeLessThan(40)
    expect(rewritten / (count * size)).toBeLessThan(3 * Math.log2(count))
  })
})

function packOf (size: number): ReturnType<typeof coveredPack> {
  return coveredPack({ id: '', covered: size, bytes: size })
}
