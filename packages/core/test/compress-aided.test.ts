import { describe, expect, it } from 'vitest'
import { compressAided } from '../src/frames/compress-aided.ts'
import { text } from './fixtures.ts'

const PIECE = text(64_000)

/** Compresses a piece to so many bytes at each level. Returns how many it took, and which levels were tried. */
async function compress (
  lengths: Record<number, number>,
  newBytes?: number,
  { bytes = PIECE, maxLevel }: { bytes?: Uint8Array, maxLevel?: number } = {}
): Promise<{ length: number, tried: number[] }> {
  const tried: number[] = []
  const codec = {
    async compress (_: Uint8Array, { level = 0 } = {}) {
      tried.push(level)
      return new Uint8Array(lengths[level])
    }
  }
  const aid = { dictionary: PIECE, newBytes: newBytes == null ? undefined : () => newBytes, maxLevel }
  const frame = await compressAided(bytes, aid, codec, { levels: [7, 3, 16] })

  return { length: frame.byteLength, tried }
}

describe('compressing a piece with its base', () => {
  it('tries no other level if the frame takes little more than what is new', async () => {
    await expect(compress({ 7: 6000 }, 5000)).resolves.toEqual({ length: 6000, tried: [7] })
  })

  it('does not ask what is new in a frame of up to a sixteenth of its bytes', async () => {
    await expect(compress({ 7: 4000 }, 0)).resolves.toEqual({ length: 4000, tried: [7] })
    await expect(compress({ 7: 4001, 3: 4001, 16: 100 }, 0)).resolves.toEqual({ length: 100, tried: [7, 3, 16] })
  })

  it('tries other levels until a frame takes little more', async () => {
    await expect(compress({ 7: 6001, 3: 6000 }, 5000)).resolves.toEqual({ length: 6000, tried: [7, 3] })
    await expect(compress({ 7: 9000, 3: 9001, 16: 100 }, 500)).resolves.toEqual({ length: 100, tried: [7, 3, 16] })
  })

  it('takes the shortest frame if all of them take more', async () => {
    await expect(compress({ 7: 9000, 3: 8000, 16: 8500 }, 500)).resolves.toEqual({ length: 8000, tried: [7, 3, 16] })
  })

  it('tries none if it is not known what is new, and for large pieces', async () => {
    await expect(compress({ 7: 9000 })).resolves.toEqual({ length: 9000, tried: [7] })
    await expect(compress({ 7: 90_000 }, 0, { bytes: text(1024 * 1024 + 1) }))
      .resolves.toEqual({ length: 90_000, tried: [7] })
  })

  it('tries no level above the highest that pays', async () => {
    await expect(compress({ 6: 9000 }, undefined, { maxLevel: 6 })).resolves.toEqual({ length: 9000, tried: [6] })
    await expect(compress({ 7: 9000 }, undefined, { maxLevel: 8 })).resolves.toEqual({ length: 9000, tried: [7] })
  })
})
