import zlib from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { codecs } from '../src/all.ts'
import { concat, noise, same, text } from './fixtures.ts'

const NAMES = ['zstd', 'gzip', 'brotli'] as const
const DECODERS = ['createZstdDecompress', 'createInflateRaw', 'createBrotliDecompress'] as const

/** Larger than what is decompressed on the calling thread. */
const BYTES = concat(text(150_000), noise(50_000))
const SIZE = BYTES.byteLength

afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(NAMES)('decompressing %s into memory of the caller', name => {
  const codec = codecs[name]({ implementation: 'native' })

  it('writes there', async () => {
    const frame = await codec.compress(BYTES)
    const memory = noise(SIZE + 100)

    for (const into of [memory, memory.subarray(3)]) {
      const bytes = await codec.decompress(frame, { size: SIZE, into })

      expect(bytes.buffer).toBe(memory.buffer)
      expect(bytes.byteOffset).toBe(into.byteOffset)
      expect(same(bytes, BYTES)).toBe(true)
    }
  })

  it('writes nothing after the result and its spare byte', async () => {
    const into = new Uint8Array(SIZE + 100).fill(7)
    await codec.decompress(await codec.compress(BYTES), { size: SIZE, into })

    expect(into.subarray(SIZE + 1).every(byte => byte === 7)).toBe(true)
  })

  it('makes memory if there is too little', async () => {
    const into = new Uint8Array(SIZE)
    const bytes = await codec.decompress(await codec.compress(BYTES), { size: SIZE, into })

    expect(same(bytes, BYTES)).toBe(true)
    expect(into.every(byte => byte === 0)).toBe(true)
  })

  it('writes nothing after memory that is smaller than zlib\'s smallest buffer', async () => {
    // too large to be decompressed on the calling thread, and decodes to far more than it says
    const frame = await codec.compress(noise(70_000))
    const memory = new Uint8Array(200).fill(7)
    const decompressing = codec.decompress(frame, { size: 10, into: memory.subarray(0, 11) })

    await expect(decompressing).rejects.toMatchObject({ name: 'CorruptFrameError' })
    expect(memory.subarray(11).every(byte => byte === 7)).toBe(true)
  })

  it('refuses what it refuses without', { tags: 'slow' }, async () => {
    const frame = new Uint8Array(await codec.compress(BYTES))
    const frames = [
      frame.subarray(0, -1),
      frame.subarray(0, 70_000),
      concat(frame, noise(9)),
      concat(frame, frame),
      ...Array.from({ length: 40 }, (_, i) => frame.with((i * 997) % frame.byteLength, i))
    ]

    for (const [i, frame] of frames.entries()) {
      for (const size of [SIZE - 1, SIZE, SIZE + 1]) {
        const [without, within] = await Promise.all([undefined, new Uint8Array(size + 1)].map(async into => {
          try {
            return await codec.decompress(frame, { size, into })
          } catch (err) {
            return (err as Error).name
          }
        }))

        expect(within, `frame ${i} of ${size} bytes`).toEqual(without)
      }
    }
  })

  it('makes memory if a decoder has no buffer that can be replaced', async () => {
    for (const decoder of DECODERS) {
      const create = zlib[decoder] as (options?: { chunkSize?: number }) => object
      vi.spyOn(zlib as Record<typeof decoder, typeof create>, decoder).mockImplementation(options => Object.assign(
        create(options),
        // the smallest is the one that is replaced
        options?.chunkSize === 64 ? { _outBuffer: undefined } : {}
      ))
    }

    const into = new Uint8Array(SIZE + 1)
    const bytes = await codec.decompress(await codec.compress(BYTES), { size: SIZE, into })

    expect(same(bytes, BYTES)).toBe(true)
    expect(into.every(byte => byte === 0)).toBe(true)
  })
})

describe.each(NAMES)('decompressing %s on the thread pool', name => {
  const codec = codecs[name]({ implementation: 'native' })
  const create = DECODERS[NAMES.indexOf(name)]
  const original = zlib[create] as (options?: object) => object

  /** Change the decoders that are made from now on. */
  function mockDecoders (change: (decoder: object) => void): void {
    vi.spyOn(zlib as Record<typeof create, typeof original>, create).mockImplementation(options => {
      const decoder = original(options)
      change(decoder)

      return decoder
    })
  }

  it('takes one task', async () => {
    const frame = await codec.compress(BYTES)
    let tasks = 0

    mockDecoders(decoder => {
      const { _handle: handle } = decoder as { _handle: { write: (...args: unknown[]) => unknown } }
      const write = handle.write.bind(handle)
      handle.write = (...args) => (tasks++, write(...args))
    })

    expect(same(await codec.decompress(frame, { size: SIZE }), BYTES)).toBe(true)
    expect(tasks).toBe(1)
  })

  it('reads and refuses what Node\'s streams do', { tags: 'slow' }, async () => {
    const frame = new Uint8Array(await codec.compress(BYTES))
    const frames = [
      frame,
      frame.subarray(0, -1),
      frame.subarray(0, 70_000),
      concat(frame, noise(9)),
      concat(frame, frame),
      ...Array.from({ length: 40 }, (_, i) => frame.with((i * 997) % frame.byteLength, i))
    ]
    const outcomes = async (): Promise<unknown[]> => Promise.all(
      frames.flatMap(frame => [SIZE - 1, SIZE, SIZE + 1].map(async size => {
        try {
          return await codec.decompress(frame, { size })
        } catch (err) {
          return (err as Error).name
        }
      }))
    )
    const ours = await outcomes()

    mockDecoders(decoder => { Object.assign(decoder, { _processChunk: undefined }) })
    const twins = await outcomes()

    for (const [i, outcome] of ours.entries()) {
      expect(outcome, `frame ${Math.floor(i / 3)}`).toEqual(twins[i])
    }
  })
})
