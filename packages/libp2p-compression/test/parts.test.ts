import fc from 'fast-check'
import { Uint8ArrayList } from 'uint8arraylist'
import { describe, expect, it } from 'vitest'
import { RatioBudget } from '../src/budget.ts'
import { chooseCodecs } from '../src/codec-names.ts'
import { MAX_FRAME_SIZE, MAX_RATIO, MAX_TRIAL_INTERVAL, MEASURED_BYTES, MIN_TRIAL_INTERVAL, RATIO_ALLOWANCE } from '../src/constants.ts'
import { decodeHeader, encodeCompressedHeader, encodePadding, encodeStoredHeader, FRAME } from '../src/frame.ts'
import { ReceiveBuffer } from '../src/receive-buffer.ts'
import { Receiver } from '../src/receiver.ts'
import { Traffic } from '../src/traffic.ts'
import { Shrinkage } from '../src/shrinkage.ts'
import type { CompressionCodec } from '../src/index.ts'

/** Until it is stored. */
function store (shrinkage: Shrinkage): void {
  for (let size = 0; size < MEASURED_BYTES; size += MAX_FRAME_SIZE) {
    expect(shrinkage.worthwhile).toBe(true)
    shrinkage.countCompressed(MAX_FRAME_SIZE, MAX_FRAME_SIZE)
  }
}

describe('the header of a frame', () => {
  it('is read as it was written, once all of it is there', () => {
    const stored = encodeStoredHeader(65536)
    const compressed = encodeCompressedHeader(FRAME.zstd, 66000, 65536)

    expect(decodeHeader(new Uint8ArrayList(stored))).toEqual({ type: FRAME.stored, headerLength: 4, length: 65536, size: 65536 })
    expect(decodeHeader(new Uint8ArrayList(compressed))).toEqual({ type: FRAME.zstd, headerLength: 7, length: 66000, size: 65536 })
    expect(decodeHeader(new Uint8ArrayList(stored.subarray(0, 3)))).toBeUndefined()
    expect(decodeHeader(new Uint8ArrayList(compressed.subarray(0, 6)))).toBeUndefined()
  })

  it('has the bytes that the README says', () => {
    expect(encodeStoredHeader(0x010203 >> 4)).toEqual(Uint8Array.of(0, 0, 0x10, 0x20))
    expect(encodeCompressedHeader(2, 0x000102, 0x00ff01)).toEqual(Uint8Array.of(2, 0, 1, 2, 0, 0xff, 1))
    expect(encodePadding(6)).toEqual(Uint8Array.of(255, 0, 0, 2, 0, 0))
  })
})

describe('what came and was not worked on yet', () => {
  it('is joined, however short the pieces are that come while the reader is paused', () => {
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

  it('is few pieces, whole and in order, whatever lengths are mixed', () => {
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
  const FRAMES = fc.array(fc.record({ wire: fc.integer({ min: 8, max: 70_000 }), size: fc.integer({ min: 0, max: MAX_FRAME_SIZE }) }), { maxLength: 30 })

  it('refuses exactly when some row of frames decodes to too much', () => {
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

      // the slow twin: every row, from every start
      const first = frames.findIndex((_, end) => frames.slice(0, end + 1).some((_, start) => {
        const row = frames.slice(start, end + 1)
        const wire = row.reduce((sum, { wire }) => sum + wire, 0)
        const size = row.reduce((sum, { size }) => sum + size, 0)

        return size > MAX_RATIO * wire + RATIO_ALLOWANCE
      }))

      expect(refusedAt).toBe(first === -1 ? frames.length : first)
    }))
  })

  it('is never broken by a sender that pads as it says, and not padded more than needed', () => {
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

  it('says how much there was too much', () => {
    expect(() => { new RatioBudget().spend(8, RATIO_ALLOWANCE + 8 * MAX_RATIO + 5) })
      .toThrow(expect.objectContaining({ name: 'DecompressionBombError', excess: 5, maxRatio: MAX_RATIO }))
  })
})

describe('the choice between stored and compressed', () => {
  it('is stored after 256 KiB that did not shrink', () => {
    const shrinkage = new Shrinkage()
    store(shrinkage)
    expect(shrinkage.worthwhile).toBe(false)
  })

  it('is compressed as long as there is something to save', () => {
    const shrinkage = new Shrinkage()

    for (let i = 0; i < 100; i++) {
      shrinkage.countCompressed(MAX_FRAME_SIZE, 0.9 * MAX_FRAME_SIZE)
      expect(shrinkage.worthwhile).toBe(true)
    }
  })

  it('is tried again, more and more rarely', () => {
    const shrinkage = new Shrinkage()
    store(shrinkage)

    for (let interval = MIN_TRIAL_INTERVAL; interval <= 2 * MAX_TRIAL_INTERVAL; interval *= 2) {
      const wait = Math.min(interval, MAX_TRIAL_INTERVAL)
      shrinkage.countStored(wait - 1)
      expect(shrinkage.worthwhile).toBe(false)
      shrinkage.countStored(1)
      expect(shrinkage.worthwhile).toBe(true)
      shrinkage.countCompressed(MAX_FRAME_SIZE, MAX_FRAME_SIZE)
    }
  })

  it('is compressed again after a trial that saved something', () => {
    const shrinkage = new Shrinkage()
    store(shrinkage)
    shrinkage.countStored(MIN_TRIAL_INTERVAL)
    shrinkage.countCompressed(MAX_FRAME_SIZE, 100)
    expect(shrinkage.worthwhile).toBe(true)
    store(shrinkage)
  })
})

describe('the choice of codecs', () => {
  it('has all of them, with the levels that are the default', () => {
    expect(chooseCodecs().map(({ codec, level }) => [codec.id, level])).toEqual([['zstd', 1], ['deflate', 3], ['lz4', 1]])
  })

  it('keeps the order, and takes each once', () => {
    expect(chooseCodecs(['lz4', 'zstd', 'lz4']).map(({ codec }) => codec.id)).toEqual(['lz4', 'zstd'])
  })

  it('takes one level for all as far as each has it, or one for each', () => {
    expect(chooseCodecs(undefined, 12).map(({ level }) => level)).toEqual([12, 9, 1])
    expect(chooseCodecs(undefined, { zstd: 5 }).map(({ level }) => level)).toEqual([5, 3, 1])
  })

  it.each([[0], [20], [1.5], [{ gzip: 10 }], [{ lz4: 2 }]])('refuses the level %j', level => {
    expect(() => chooseCodecs(undefined, level)).toThrow(expect.objectContaining({ name: 'InvalidLevelError' }))
  })

  it('refuses a codec that there is not', () => {
    expect(() => chooseCodecs(['brotli' as CompressionCodec])).toThrow(expect.objectContaining({ name: 'UnknownCodecError', codec: 'brotli' }))
  })
})
