import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { brotli } from '@ipfsz/codecs/brotli'
import { gzip } from '@ipfsz/codecs/gzip'
import { zstd } from '@ipfsz/codecs/zstd'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { compressorOf } from '../src/compress/compressor.ts'
import { CpuBudget } from '../src/compress/cpu-budget.ts'
import { gzipStream, PIECE_SIZE } from '../src/compress/gzip-stream.ts'
import { noise, same, text } from './fixtures.ts'
import type { FastCodecs } from '../src/compress/block-compressor.ts'
import type { CompressorInit } from '../src/compress/compressor.ts'
import type { Compressor, ContentCoding } from '../src/index.ts'

const ALL: ContentCoding[] = ['gzip', 'br', 'zstd']
const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync }

async function cidOf (block: Uint8Array): Promise<CID> {
  return CID.createV1(0x55, await sha256.digest(block))
}

interface Made {
  compressor: Compressor
  /** Lengths of what was compressed. */
  calls: number[]
  /** What a call of a codec takes, in milliseconds. */
  clock: { now: number, perCall: number }
}

function make (init: CompressorInit = {}): Made {
  const clock = { now: 0, perCall: 0 }
  const calls: number[] = []
  const counted = (codec: FastCodecs[ContentCoding]): FastCodecs[ContentCoding] => ({
    compress: async (bytes, options) => {
      calls.push(bytes.byteLength)
      clock.now += clock.perCall

      return codec.compress(bytes, options)
    }
  })
  const codecs = { br: counted(brotli()), gzip: counted(gzip()), zstd: counted(zstd()) }

  return { compressor: compressorOf(init, codecs, () => clock.now), calls, clock }
}

async function * inPieces (bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.byteLength; i += size) {
    yield bytes.subarray(i, i + size)
  }
}

describe('a budget of processor time', () => {
  it('runs jobs until its time is used up, and again when it has refilled', async () => {
    const clock = { now: 0 }
    const budget = new CpuBudget({ share: 0.5, concurrency: 1, now: () => clock.now })
    const run = async (time: number): Promise<boolean | undefined> => budget.run(() => {
      clock.now += time

      return true
    })

    // half of two seconds are saved up
    expect(await run(600)).toBe(true)
    expect(budget.isLeft).toBe(true)
    // while a job runs, half of its time comes back; what it took too much has to come back later
    expect(await run(1000)).toBe(true)
    expect(await run(1)).toBeUndefined()
    clock.now += 200
    expect(await run(1)).toBeUndefined()
    clock.now += 1
    expect(await run(1)).toBe(true)
  })

  it('saves up no more than two seconds', async () => {
    const clock = { now: 0 }
    const budget = new CpuBudget({ share: 0.5, concurrency: 1, now: () => clock.now })
    clock.now = 1_000_000
    await budget.run(() => { clock.now += 2000 })

    expect(budget.isLeft).toBe(false)
  })

  it('runs no more jobs at once than allowed, and counts those that fail', async () => {
    const budget = new CpuBudget({ share: 1, concurrency: 2, now: () => 0 })
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const running = [budget.run(async () => promise), budget.run(async () => promise)]

    expect(await budget.run(() => 1)).toBeUndefined()
    reject(new Error('failed'))
    await Promise.allSettled(running)
    expect(await budget.run(() => 1)).toBe(1)
    resolve(0)
  })

  it('runs nothing with a share of 0', async () => {
    const budget = new CpuBudget({ share: 0, concurrency: 2, now: () => 0 })

    expect(await budget.run(() => 1)).toBeUndefined()
  })
})

describe('a compressor', () => {
  it.each(ALL)('compresses a block with %s, and remembers it', async coding => {
    const { compressor, calls } = make()
    const block = text(100_000)
    const cid = await cidOf(block)

    expect(compressor.findBlock(cid, ALL)).toBeUndefined()

    const compressed = await compressor.compressBlock(cid, block, [coding])

    expect(compressed?.coding).toBe(coding)
    expect(compressed?.bytes.byteLength).toBeLessThan(50_000)
    expect(same(DECODERS[coding](compressed?.bytes ?? block), block)).toBe(true)
    expect(compressor.findBlock(cid, ALL)).toEqual(compressed)
    expect(compressor.findBlock(cid, ALL.filter(other => other !== coding))).toBeUndefined()
    // the sample, and the block
    expect(calls).toEqual([8192, 100_000])
  })

  it('prefers zstd to brotli, and that to gzip', async () => {
    const { compressor } = make()
    const block = text(10_000)
    const cid = await cidOf(block)

    for (const [codings, chosen] of [[ALL, 'zstd'], [['gzip', 'br'], 'br'], [['gzip'], 'gzip']] as const) {
      expect((await compressor.compressBlock(cid, block, codings))?.coding).toBe(chosen)
    }

    expect(await compressor.compressBlock(cid, block, [])).toBeUndefined()
  })

  it('compresses a block once for all who ask at the same time', async () => {
    const { compressor, calls } = make()
    const block = text(10_000)
    const cid = await cidOf(block)
    const asked = await Promise.all(Array.from({ length: 10 }, async () => compressor.compressBlock(cid, block, ALL)))

    expect(asked.every(found => found?.bytes === asked[0]?.bytes)).toBe(true)
    expect(calls).toEqual([10_000])
  })

  it('tries only a sample of what does not shrink, and only once', async () => {
    const { compressor, calls } = make()
    const block = noise(1_000_000)
    const cid = await cidOf(block)

    for (const coding of ALL) {
      expect(await compressor.compressBlock(cid, block, [coding])).toBeUndefined()
    }

    expect(calls).toEqual([8192])
  })

  it('leaves small blocks alone', async () => {
    const { compressor, calls } = make()
    const block = text(1023)

    expect(await compressor.compressBlock(await cidOf(block), block, ALL)).toBeUndefined()
    expect(calls).toEqual([])
  })

  it('forgets the least recently used blocks', async () => {
    const block = text(10_000)
    const length = (await zstd().compress(block, { level: 1 })).byteLength
    const { compressor } = make({ cacheSize: (length + 600) * 3 })
    const cids: CID[] = []

    for (let i = 0; i < 4; i++) {
      const other = Uint8Array.from(block)
      other[0] = i
      cids.push(await cidOf(other))
      await compressor.compressBlock(cids[i], other, ALL)
      compressor.findBlock(cids[0], ALL)
    }

    expect(cids.map(cid => compressor.findBlock(cid, ALL) != null)).toEqual([true, false, true, true])
  })

  it('keeps no larger buffer than the compressed block needs', async () => {
    const { compressor } = make()
    const block = text(100_000)
    const compressed = await compressor.compressBlock(await cidOf(block), block, ['zstd'])

    expect(compressed?.bytes.buffer.byteLength).toBe(compressed?.bytes.byteLength)
  })

  it('does nothing when its time is used up, and remembers what it did', async () => {
    const { compressor, clock, calls } = make({ cpuShare: 0.25, files: true })
    clock.perCall = 1000
    const [first, second] = [text(10_000), text(20_000)]
    const [a, b] = [await cidOf(first), await cidOf(second)]

    expect(await compressor.compressBlock(a, first, ALL)).toBeDefined()
    expect(await compressor.compressBlock(b, second, ALL)).toBeUndefined()
    expect(compressor.findBlock(a, ALL)).toBeDefined()
    expect(compressor.takesFiles()).toBe(false)
    clock.now += 2001
    expect(compressor.takesFiles()).toBe(true)
    expect(await compressor.compressBlock(b, second, ALL)).toBeDefined()
    expect(calls).toEqual([10_000, 20_000])
  })

  it('passes a block on uncompressed if the codec does not run here', async () => {
    const failing = { compress: async () => { throw new Error('no WebAssembly') } }
    const compressor = compressorOf({}, { br: failing, gzip: failing, zstd: failing })
    const block = text(10_000)

    expect(await compressor.compressBlock(await cidOf(block), block, ALL)).toBeUndefined()
  })

  it('takes files only if it is told to', () => {
    expect(make().compressor.takesFiles()).toBe(false)
    expect(make({ files: true }).compressor.takesFiles()).toBe(true)
  })

  it('takes a bounded number of files at a time', async () => {
    const { compressor } = make({ files: true })
    const sending = Array.from({ length: 64 }, () => {
      return compressor.gzipFile(inPieces(text(10), 10))[Symbol.asyncIterator]()
    })
    await Promise.all(sending.map(async file => file.next()))

    expect(compressor.takesFiles()).toBe(false)
    await sending[0].return?.()
    expect(compressor.takesFiles()).toBe(true)
  })
})

describe('a stream of gzip', () => {
  it.each([1000, 300_000, 4 * PIECE_SIZE])('is one member, for a source in chunks of %d bytes', async size => {
    const { compressor } = make({ files: true })
    const bytes = text(3 * PIECE_SIZE + 5)
    const compressed = Buffer.concat(await Array.fromAsync(compressor.gzipFile(inPieces(bytes, size))))

    expect(compressed.byteLength).toBeLessThan(bytes.byteLength / 2)
    expect(same(gunzipSync(compressed), bytes)).toBe(true)
  })

  it('of no bytes is the member of no bytes', async () => {
    const compressed = Buffer.concat(await Array.fromAsync(make().compressor.gzipFile(inPieces(text(0), 1))))

    expect(gunzipSync(compressed).byteLength).toBe(0)
  })

  it('goes on uncompressed when its time is used up, and compresses again later', async () => {
    const bytes = text(3 * PIECE_SIZE)
    let piece = 0
    const compressed = Buffer.concat(await Array.fromAsync(gzipStream(
      inPieces(bytes, PIECE_SIZE),
      async part => piece++ === 1 ? undefined : gzip().compress(part, { level: 1 })
    )))

    expect(compressed.byteLength).toBeGreaterThan(PIECE_SIZE)
    expect(compressed.byteLength).toBeLessThan(2.5 * PIECE_SIZE)
    expect(same(gunzipSync(compressed), bytes)).toBe(true)
  })

  it('yields nothing before its source does', async () => {
    const failing = new ReadableStream<Uint8Array>({ start: controller => { controller.error(new Error('EIO')) } })

    await expect(make().compressor.gzipFile(failing)[Symbol.asyncIterator]().next()).rejects.toThrow('EIO')
  })
})
