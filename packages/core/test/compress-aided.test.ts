import { DeltaCompressor } from '@ipfsz/codecs/zstd-delta'
import { describe, expect, it } from 'vitest'
import { compressAided } from '../src/frames/compress-aided.ts'
import { noise, text } from './fixtures.ts'
import type { Aid } from '../src/frames/compress-aided.ts'

const PIECE = text(64_000)

/** Compresses a piece to so many bytes at each level. Returns how many it took, and which levels were tried. */
async function compress (
  lengths: Record<number, number>,
  newBytes?: number,
  bytes = PIECE
): Promise<{ length: number, tried: number[] }> {
  const tried: number[] = []
  const codec = {
    async compress (_: Uint8Array, { level = 0 } = {}) {
      tried.push(level)
      return new Uint8Array(lengths[level])
    }
  }
  const aid: Aid = { dictionary: PIECE, newBytes: newBytes == null ? undefined : () => newBytes }
  const frame = await compressAided(bytes, aid, codec, [7, 3, 16])

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
    await expect(compress({ 7: 90_000 }, 0, text(1024 * 1024 + 1))).resolves.toEqual({ length: 90_000, tried: [7] })
  })

  it('compresses what changed, if that is little, and no level is asked for', async () => {
    const dictionary = noise(100 * 1024)
    const delta = await DeltaCompressor.create()
    const tried: number[] = []
    const codec = {
      async compress (_: Uint8Array, { level = 0 } = {}) {
        tried.push(level)
        return new Uint8Array(level)
      }
    }
    const compress = async (bytes: Uint8Array, levels: readonly number[]): Promise<number> =>
      (await compressAided(bytes, { dictionary, delta }, codec, levels)).byteLength
    const changed = (length: number): Uint8Array => dictionary.map((byte, i) => i < length ? ~byte : byte)

    await expect(compress(changed(100), [7, 3, 16])).resolves.toBeGreaterThan(100)
    await expect(compress(changed(3000), [7, 3, 16])).resolves.toBeGreaterThan(3000)
    expect(tried).toEqual([])

    // more than a 32nd of the piece, and zstd finds more; too much changed; a level was asked for; too small, too large
    await expect(compress(changed(3200), [7, 3, 16])).resolves.toBe(7)
    await expect(compress(changed(12_801), [7, 3, 16])).resolves.toBe(7)
    await expect(compress(changed(100), [9])).resolves.toBe(9)
    await expect(compress(dictionary.subarray(0, 64 * 1024 - 1), [7, 3, 16])).resolves.toBe(7)
    await expect(compress(new Uint8Array(1024 * 1024 + 1), [7, 3, 16])).resolves.toBe(7)
    expect(tried).toEqual([7, 7, 9, 7, 7])
  })

  it('takes what changed although that is much, if zstd finds less', async () => {
    const dictionary = noise(100 * 1024)
    const delta = await DeltaCompressor.create()
    const bytes = dictionary.map((byte, i) => i < 10_000 ? ~byte : byte)
    const frame = await compressAided(bytes, { dictionary, delta }, { compress: () => bytes.slice(1) }, [7, 3])

    expect(frame.byteLength).toBeLessThan(11_000)
  })

  it('ends when it is aborted, before it looks for what changed', async () => {
    const bytes = noise(100 * 1024)
    const delta = await DeltaCompressor.create()
    const codec = { compress: () => new Uint8Array(0) }
    const signal = AbortSignal.abort(new Error('enough'))

    await expect(compressAided(bytes, { dictionary: bytes, delta }, codec, [7, 3], signal)).rejects.toThrow('enough')
  })
})
