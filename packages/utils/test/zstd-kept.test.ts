import zlib, { zstdCompressSync } from 'node:zlib'
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

    expect(zstdCompressKept(CONTENT, 3, 64)).toBeUndefined()
    expect(zstdDecompressKept(FRAME, 500)).toBeUndefined()
  })
})
