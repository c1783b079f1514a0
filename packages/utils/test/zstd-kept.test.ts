import zlib, { constants, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type * as Kept from '../src/zstd-kept.ts'

const CONTENT = Uint8Array.from({ length: 500 }, (_, i) => i % 7)
const FRAME = zstdCompressSync(CONTENT, { pledgedSrcSize: CONTENT.byteLength })

afterEach(() => { vi.restoreAllMocks() })

/** The functions, as in a process that has not called them yet. */
async function load (): Promise<typeof Kept> {
  vi.resetModules()

  return import('../src/zstd-kept.ts')
}

describe('zstd in a context that is kept', () => {
  it('decompresses into memory that is given, and goes on after a damaged frame', async () => {
    const { zstdDecompressKept } = await load()
    const memory = new Uint8Array(1000)
    const damaged = FRAME.subarray(0, -3)

    expect(zstdDecompressKept(FRAME, 500, memory)?.buffer).toBe(memory.buffer)
    expect(zstdDecompressKept(damaged, 500, memory)).toBeUndefined()
    expect(zstdDecompressKept(FRAME, 500)).toEqual(CONTENT)
  })

  it('makes the frames of zlib, with a checksum and without one, in turns, at any size', async () => {
    const { zstdCompressKept } = await load()

    // the last one is larger than the memory that is kept
    for (const size of [0, 1, 500, 200_000, 5_000_000]) {
      const content = Uint8Array.from({ length: size }, (_, i) => (i * i) >> 7)

      for (const hasChecksum of [false, true]) {
        const expected = zstdCompressSync(content, {
          pledgedSrcSize: size,
          chunkSize: 1024 + 2 * size,
          params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: hasChecksum ? 1 : 0 }
        })

        expect(Buffer.compare(zstdCompressKept(content, 3, { hasChecksum }) ?? CONTENT, expected)).toBe(0)
      }
    }
  })

  it('refuses a frame that holds more or less than it should', async () => {
    const { zstdDecompressKept } = await load()

    expect([499, 501].map(size => zstdDecompressKept(FRAME, size))).toEqual([undefined, undefined])
  })

  it.for<[what: string, change: (stream: object) => object]>([
    ['has other streams', stream => Object.assign(stream, { _writeState: undefined })],
    ['has streams that do something else', stream => Object.assign(stream, { _handle: { writeSync () {} } })]
  ])('is left to others where the runtime %s', async ([, change]) => {
    const { createZstdCompress, createZstdDecompress } = zlib
    vi.spyOn(zlib, 'createZstdCompress').mockImplementation(options => change(createZstdCompress(options)) as never)
    vi.spyOn(zlib, 'createZstdDecompress').mockImplementation(options => change(createZstdDecompress(options)) as never)
    const { zstdCompressKept, zstdDecompressKept } = await load()

    expect(zstdCompressKept(CONTENT, 3)).toBeUndefined()
    expect(zstdDecompressKept(FRAME, 500)).toBeUndefined()
  })
})
