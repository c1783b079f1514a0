import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { BaseReader } from '../src/base/base-reader.ts'
import { noise } from './fixtures.ts'

const BASE = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn').toV1()
const PIECE = 1000
const BYTES = noise(9500)

/** A reader of a base of ten pieces that keeps some of them, and the numbers of the pieces that it loaded. */
function readerOf (kept: number, fail?: Error, isOwned = false): { reader: BaseReader, loaded: number[] } {
  const loaded: number[] = []
  const content = {
    size: BYTES.byteLength,
    pieceSize: PIECE,
    pieceMemory: 0,
    isOwned,
    async * read (start: number, end: number) {
      loaded.push(start / PIECE)
      await Promise.resolve()

      if (fail != null) {
        throw fail
      }

      yield isOwned ? BYTES.slice(start, end) : BYTES.subarray(start, end)
    }
  }

  return { reader: new BaseReader(BASE, content, kept * PIECE), loaded }
}

describe('a reader of a base', () => {
  it('reads regions that begin and end anywhere', async () => {
    for (const kept of [0, 3, 20]) {
      const { reader } = readerOf(kept)

      for (const [offset, length] of [[0, 1], [999, 2], [0, 1000], [1000, 1000], [500, 3000], [1, 9499], [9000, 500]]) {
        const bytes = await reader.read({ offset, length })
        expect(Buffer.compare(bytes, BYTES.subarray(offset, offset + length))).toBe(0)
      }
    }
  })

  it('loads all pieces of a region at a time', async () => {
    const { reader, loaded } = readerOf(8)
    const reading = reader.read({ offset: 500, length: 3000 })

    expect(loaded).toEqual([0, 1, 2, 3])
    expect(await reading).toHaveLength(3000)
  })

  it('loads no more pieces at a time than it keeps, and goes on after one that fails', async () => {
    for (const fail of [undefined, new Error('away')]) {
      const { reader, loaded } = readerOf(3, fail)
      const regions = [0, 1, 2, 3, 4, 5, 6].map(async number => reader.read({ offset: number * PIECE, length: 10 }))
      expect(loaded).toEqual([0, 1, 2])
      const settled = await Promise.allSettled(regions)
      expect(loaded).toEqual([0, 1, 2, 3, 4, 5, 6])
      expect(settled.map(({ status }) => status)).toEqual(regions.map(() => fail == null ? 'fulfilled' : 'rejected'))
    }
  })

  it('begins to load what it is to prepare, and loads it once', async () => {
    const { reader, loaded } = readerOf(8)
    reader.prepare({ offset: 1500, length: 1000 })
    reader.prepare({ offset: 2500, length: 10 })

    expect(loaded).toEqual([1, 2])
    await reader.read({ offset: 1500, length: 1000 })
    expect(loaded).toEqual([1, 2])
  })

  it('keeps what is prepared until it is read, whatever is read before', async () => {
    const { reader, loaded } = readerOf(4)
    reader.prepare({ offset: 0, length: 10 })

    for (let number = 1; number < 9; number++) {
      await reader.read({ offset: number * PIECE, length: 10 })
    }

    await reader.read({ offset: 0, length: 10 })
    expect(loaded).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])

    // then it is forgotten like others
    for (let number = 1; number < 5; number++) {
      await reader.read({ offset: number * PIECE, length: 10 })
    }

    await reader.read({ offset: 0, length: 10 })
    expect(loaded.filter(number => number === 0)).toHaveLength(2)
  })

  it.each([[2, 0], [3, 1], [4, 1], [8, 3]])('of %d pieces that it keeps prepares at most %d', async (kept, most) => {
    const { reader, loaded } = readerOf(kept)

    for (let number = 0; number < 9; number++) {
      reader.prepare({ offset: number * PIECE, length: 10 })
    }

    expect(loaded).toHaveLength(most)
  })

  it('fails when a region is read, not when it is prepared', async () => {
    const { reader } = readerOf(8, new Error('away'))
    reader.prepare({ offset: 0, length: 10 })
    reader.prepare({ offset: 9000, length: 501 })

    await expect(reader.read({ offset: 0, length: 10 })).rejects.toThrow('away')
    await expect(reader.read({ offset: 9000, length: 501 }))
      .rejects.toMatchObject({ name: 'InvalidBaseError', base: BASE })
  })

  it('frees what it kept at the end, unless others may use that memory', async () => {
    for (const isOwned of [true, false]) {
      const { reader } = readerOf(8, undefined, isOwned)
      const piece = await reader.read({ offset: 0, length: PIECE })
      await reader.close()
      expect(piece).toHaveLength(isOwned ? 0 : PIECE)
    }
  })
})
