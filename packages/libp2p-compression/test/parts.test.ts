import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { Uint8ArrayList } from 'uint8arraylist'
import { describe, expect, it } from 'vitest'
import { noise, text } from '../../../test/support/data.ts'
import { RatioBudget } from '../src/frames/budget.ts'
import { chooseCodecs } from '../src/negotiation/codec-names.ts'
import {
  MAX_FRAME_SIZE,
  MAX_RATIO,
  MAX_WORTHWHILE_RATIO,
  MEASURED_BYTES,
  RATIO_ALLOWANCE,
  SAMPLE_INTERVAL,
  SAMPLE_SIZE,
  TRIAL_INTERVALS
} from '../src/constants.ts'
import { decodeHeader, encodeCompressedHeader, encodePadding, encodeStoredHeader, FRAME } from '../src/frames/frame.ts'
import { ReceiveBuffer } from '../src/connection/receive-buffer.ts'
import { Receiver } from '../src/connection/receiver.ts'
import { Sample } from '../src/frames/sample.ts'
import { Traffic } from '../src/traffic.ts'
import { Shrinkage } from '../src/frames/shrinkage.ts'
import type { CompressionCodec } from '../src/index.ts'

const MIB = 1024 * 1024

/** How many bytes are stored before the next trial. */
function storedUntilTrial (shrinkage: Shrinkage, bytes: Uint8ArrayList): number {
  let stored = 0

  while (!shrinkage.isWorthwhile(bytes) && stored < 1024 * MIB) {
    shrinkage.countStored(bytes.byteLength)
    stored += bytes.byteLength
  }

  return stored
}

describe('the header of a frame', () => {
  it('is decoded once it is complete', () => {
    const stored = encodeStoredHeader(65536)
    const compressed = encodeCompressedHeader(FRAME.zstd, 66000, 65536)

    expect(decodeHeader(new Uint8ArrayList(stored)))
      .toEqual({ type: FRAME.stored, headerLength: 4, length: 65536, size: 65536 })
    expect(decodeHeader(new Uint8ArrayList(compressed)))
      .toEqual({ type: FRAME.zstd, headerLength: 7, length: 66000, size: 65536 })
    expect(decodeHeader(new Uint8ArrayList(stored.subarray(0, 3)))).toBeUndefined()
    expect(decodeHeader(new Uint8ArrayList(compressed.subarray(0, 6)))).toBeUndefined()
  })

  it('has the bytes that the README specifies', () => {
    expect(encodeStoredHeader(0x010203 >> 4)).toEqual(Uint8Array.of(0, 0, 0x10, 0x20))
    expect(encodeCompressedHeader(2, 0x000102, 0x00ff01)).toEqual(Uint8Array.of(2, 0, 1, 2, 0, 0xff, 1))
    expect(encodePadding(6)).toEqual(Uint8Array.of(255, 0, 0, 2, 0, 0))
  })
})

describe('the receive buffer', () => {
  it('joins short pieces that arrive while the reader is paused', () => {
    const size = 10_000
    const bytes = Buffer.concat([encodeStoredHeader(size), new Uint8Array(size).fill(7)])
    const handedOut: Uint8ArrayList[] = []
    const receiver = new Receiver({
      inner: { pause: () => {}, resume: () => {} },
      codecs: new Map(),
      traffic: new Traffic('/stored', 'inbound'),
      onData: list => { handedOut.push(list) },
      onEnd: () => {},
      onError: err => { throw err }
    })

    receiver.pause()

    for (let i = 0; i < bytes.byteLength; i++) {
      receiver.push(bytes.subarray(i, i + 1))
    }

    receiver.resume()

    expect(handedOut.map(({ byteLength }) => byteLength)).toEqual([size])
    expect([...handedOut[0]].length).toBeLessThanOrEqual(3)
  })

  it('holds few pieces, complete and in order, whatever their lengths', () => {
    const buffer = new ReceiveBuffer()
    const bytes = new Uint8Array(200_000).map((_, i) => i * 31 >> 3)
    const lengths = [1, 1, 1023, 1, 1024, 3]

    for (let start = 0, i = 0; start < bytes.byteLength; i++) {
      const end = start + lengths[i % lengths.length]
      buffer.append(bytes.subarray(start, end))
      start = end
    }

    expect(buffer.byteLength).toBe(bytes.byteLength)
    expect([...buffer.peek()].length).toBeLessThan(2 * bytes.byteLength / 1024)
    expect(Buffer.compare(buffer.take(bytes.byteLength).subarray(), bytes)).toBe(0)
  })
})

describe('the budget of a connection', () => {
  const FRAMES = fc.array(
    fc.record({ wire: fc.integer({ min: 8, max: 70_000 }), size: fc.integer({ min: 0, max: MAX_FRAME_SIZE }) }),
    { maxLength: 30 }
  )

  it('refuses a frame exactly if a run of frames up to it decodes to too much', () => {
    fc.assert(fc.property(FRAMES, frames => {
      const budget = new RatioBudget()
      let refusedAt = frames.length

      for (const [i, { wire, size }] of frames.entries()) {
        try {
          budget.spend(wire, size)
        } catch {
          refusedAt = i
          break
        }
      }

      // the slow twin: every run of frames, from every start
      const first = frames.findIndex((_, end) => frames.slice(0, end + 1).some((_, start) => {
        const row = frames.slice(start, end + 1)
        const wire = row.reduce((sum, { wire }) => sum + wire, 0)
        const size = row.reduce((sum, { size }) => sum + size, 0)

        return size > MAX_RATIO * wire + RATIO_ALLOWANCE
      }))

      expect(refusedAt).toBe(first === -1 ? frames.length : first)
    }))
  })

  it('is never exceeded by a sender that adds the padding it asks for, which is little', () => {
    fc.assert(fc.property(FRAMES, frames => {
      const [sender, receiver] = [new RatioBudget(), new RatioBudget()]

      for (const { wire, size } of frames) {
        const padding = sender.padding(wire, size)

        if (padding > 0) {
          expect(padding).toBeLessThanOrEqual(4 + size / MAX_RATIO)
          sender.spend(padding, 0)
          receiver.spend(padding, 0)
        }

        sender.spend(wire, size)
        receiver.spend(wire, size)
      }
    }))
  })

  it('reports the excess', () => {
    expect(() => { new RatioBudget().spend(8, RATIO_ALLOWANCE + 8 * MAX_RATIO + 5) })
      .toThrow(expect.objectContaining({ name: 'DecompressionBombError', excess: 5, maxRatio: MAX_RATIO }))
  })
})

describe('Shrinkage', () => {
  const NOISE = new Uint8ArrayList(noise(MAX_FRAME_SIZE))
  const TEXT = new Uint8ArrayList(text(MAX_FRAME_SIZE))
  /** All bytes are equally frequent, but the sequence repeats. */
  const REPEATED = new Uint8ArrayList(new Uint8Array(MAX_FRAME_SIZE).map((_, i) => i))

  /** Compress incompressible bytes until the choice is to store. */
  function store (shrinkage: Shrinkage): void {
    for (let size = 0; size < MEASURED_BYTES; size += MAX_FRAME_SIZE) {
      expect(shrinkage.isWorthwhile(NOISE)).toBe(true)
      shrinkage.countCompressed(MAX_FRAME_SIZE, MAX_FRAME_SIZE)
    }
  }

  it('stores after 256 KiB that did not shrink', () => {
    const shrinkage = new Shrinkage()
    store(shrinkage)
    expect(shrinkage.isWorthwhile(TEXT)).toBe(false)
  })

  it('compresses as long as that saves something', () => {
    const shrinkage = new Shrinkage()

    for (let i = 0; i < 100; i++) {
      shrinkage.countCompressed(MAX_FRAME_SIZE, 0.9 * MAX_FRAME_SIZE)
      expect(shrinkage.isWorthwhile(TEXT)).toBe(true)
    }
  })

  it.each([
    ['soon if a sample looks compressible', TEXT, TRIAL_INTERVALS.promising],
    ['rarely if a sample looks incompressible', NOISE, TRIAL_INTERVALS.hopeless],
    ['rarely if a sample does not show the repetitions', REPEATED, TRIAL_INTERVALS.hopeless]
  ] as const)('tries compression again %s', (_, bytes, [first, most]) => {
    const shrinkage = new Shrinkage()
    store(shrinkage)

    for (let interval = first as number; interval <= 2 * most; interval *= 2) {
      const expected = Math.max(Math.min(interval, most), bytes === TEXT ? SAMPLE_INTERVAL : 0)
      expect(storedUntilTrial(shrinkage, bytes)).toBe(expected)
      shrinkage.countCompressed(MAX_FRAME_SIZE, MAX_FRAME_SIZE)
    }
  })

  it('tries compression on short messages of text between incompressible bytes', () => {
    const shrinkage = new Shrinkage()
    const message = new Uint8ArrayList(text(500))
    store(shrinkage)
    shrinkage.countStored(SAMPLE_INTERVAL)

    expect(storedUntilTrial(shrinkage, message)).toBeLessThanOrEqual(SAMPLE_SIZE)
  })

  it('does not try compression on short messages of noise', () => {
    const shrinkage = new Shrinkage()
    const bytes = noise(TRIAL_INTERVALS.hopeless[0] - 100)
    store(shrinkage)

    for (let start = 0; start < bytes.byteLength; start += 100) {
      const message = new Uint8ArrayList(bytes.subarray(start, start + 100))
      expect(shrinkage.isWorthwhile(message)).toBe(false)
      shrinkage.countStored(message.byteLength)
    }
  })

  it('compresses again after a successful trial', () => {
    const shrinkage = new Shrinkage()
    store(shrinkage)
    storedUntilTrial(shrinkage, TEXT)
    shrinkage.countCompressed(MAX_FRAME_SIZE, 100)
    expect(shrinkage.isWorthwhile(NOISE)).toBe(true)
    store(shrinkage)
  })
})

describe('a sample', () => {
  it.each([
    ['text', text(MIB), true],
    [
      // zstd removes a quarter of it
      'random base64',
      new TextEncoder().encode(Buffer.from(noise(MIB)).toString('base64')),
      true
    ],
    ['random bytes', noise(MIB), false],
    ['compressed text', zstdCompressSync(text(4 * MIB)), false]
  ])('predicts whether it is worthwhile to compress %s', (_, bytes, expected) => {
    const sample = new Sample()
    sample.add(new Uint8ArrayList(bytes))

    expect(sample.full).toBe(true)
    expect(sample.compressible).toBe(expected)
    expect(zstdCompressSync(bytes).byteLength <= MAX_WORTHWHILE_RATIO * bytes.byteLength).toBe(expected)
  })
})

describe('chooseCodecs', () => {
  it('returns all codecs with their default levels if none are given', () => {
    expect(chooseCodecs().map(({ codec, level }) => [codec.id, level]))
      .toEqual([['zstd', 1], ['deflate', 3], ['lz4', 1]])
  })

  it('keeps the order, and drops duplicates', () => {
    expect(chooseCodecs(['lz4', 'zstd', 'lz4']).map(({ codec }) => codec.id)).toEqual(['lz4', 'zstd'])
  })

  it('accepts one level for all codecs, or one for each', () => {
    expect(chooseCodecs(undefined, 12).map(({ level }) => level)).toEqual([12, 9, 1])
    expect(chooseCodecs(undefined, { zstd: 5 }).map(({ level }) => level)).toEqual([5, 3, 1])
  })

  it.each([[0], [20], [1.5], [{ gzip: 10 }], [{ lz4: 2 }]])('refuses the level %j', level => {
    expect(() => chooseCodecs(undefined, level)).toThrow(expect.objectContaining({ name: 'InvalidLevelError' }))
  })

  it('refuses an unknown codec', () => {
    expect(() => chooseCodecs(['brotli' as CompressionCodec]))
      .toThrow(expect.objectContaining({ name: 'UnknownCodecError', codec: 'brotli' }))
  })
})
