import { describe, expect, it } from 'vitest'
import { codecs } from '../src/all.ts'
import { checkHuffmanWeights } from '../src/format/zstd-weights.ts'
import { text } from './fixtures.ts'

const MIB = 1024 * 1024

describe('a zstd frame whose Huffman weights have no end', () => {
  // literals that are compressed with a tree (type 2), 10 bytes out of 20
  const literals = 2 | 10 << 4 | 20 << 14
  // the tree: weights in 10 bytes, accuracy 5, the first symbol all of the probability
  const block = Uint8Array.of(literals, literals >> 8, literals >> 16, 10, 0xf0, 0x03, ...Array<number>(30).fill(0xff))
  // content size 10 in one byte, one block, the last
  const header = 1 | 2 << 1 | block.byteLength << 3
  const frame = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 10, header, header >> 8, header >> 16, ...block)

  it.each(['native', 'wasm', 'js'] as const)('is refused by %s', async (implementation) => {
    await expect(async () => codecs.zstd({ implementation }).decompress(frame, { size: 10 })).rejects.toMatchObject({ name: 'CorruptFrameError' })
  })

  it('is told from the blocks of good frames, also where symbols of no probability come first', () => {
    expect(() => { checkHuffmanWeights(block) }).toThrow(expect.objectContaining({ name: 'CorruptFrameError' }))

    // value 1 (probability 0) in five bits, one more zero, then all ones
    const bits = 0b0000 | 0b00001 << 4 | 0b01 << 9 | 0b111111 << 11
    expect(() => { checkHuffmanWeights(Uint8Array.of(2, 0, 0, 10, bits, bits >> 8, bits >> 16, 0)) }).toThrow()
    // half of the probability
    const half = 0b0000 | 0b010001 << 4
    expect(() => { checkHuffmanWeights(Uint8Array.of(2, 0, 0, 10, half, half >> 8, 0xff)) }).not.toThrow()
  })
})

describe('brotli (wasm)', () => {
  it('keeps nothing of the frames that it read, good or bad', async () => {
    const codec = codecs.brotli({ implementation: 'wasm' })
    const frame = await codec.compress(new Uint8Array(4 * MIB))
    await codec.decompress(frame, { size: 4 * MIB })
    const before = process.memoryUsage().rss

    for (let i = 0; i < 100; i++) {
      await codec.decompress(frame, { size: 4 * MIB })
      await expect(async () => codec.decompress(frame, { size: 4 * MIB - 1 })).rejects.toMatchObject({ name: 'CorruptFrameError' })
    }

    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MIB)
  })

  it('reads text after a frame that was cut short', async () => {
    const codec = codecs.brotli({ implementation: 'wasm' })
    const frame = await codec.compress(text(100_000))

    await expect(async () => codec.decompress(frame.subarray(0, 100), { size: 100_000 })).rejects.toMatchObject({ name: 'CorruptFrameError' })
    expect(Buffer.compare(await codec.decompress(frame, { size: 100_000 }), text(100_000))).toBe(0)
  })
})
