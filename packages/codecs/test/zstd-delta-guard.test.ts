import { describe, expect, it, vi } from 'vitest'
import { encodeZstdFrame } from '../src/format/zstd/zstd-encode.ts'
import { DeltaCompressor } from '../src/zstd-delta.ts'
import { noise } from './fixtures.ts'

vi.mock('../src/format/zstd/zstd-encode.ts', { spy: true })

const BYTES = noise(70_000)

describe('a fault of the encoder', () => {
  it.each([0, 5, 10, -5, -1])('makes no frame that cannot be read: byte %i', async at => {
    const compressor = await DeltaCompressor.create()
    const compress = (): unknown => compressor.compress(BYTES.subarray(7), { dictionary: BYTES, maxChanged: 100 })
    expect(compress()).toBeDefined()

    vi.mocked(encodeZstdFrame).mockImplementationOnce((content, copies, checksum) => {
      const frame = encodeZstdFrame(content, copies, checksum)

      return frame.with(at, (frame.at(at) ?? 0) ^ 1)
    })
    expect(compress()).toBeUndefined()
    expect(compress()).toBeDefined()
  })
})
