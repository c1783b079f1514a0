import { allCodecs } from '@ipfsz/codecs/all'
import { describe, expect, it } from 'vitest'
import { noise } from '../../../test/support/data.ts'
import { measure } from '../src/bench/measure.ts'
import type { CodecLevel } from '../src/bench/codec-levels.ts'
import type { MeasureOptions } from '../src/bench/measure.ts'
import type { Codec } from '@ipfsz/codecs'

const KIB = 1024
const { signal } = new AbortController()

/** A clock that stands still until it is moved. */
class Clock {
  milliseconds = 0

  readonly now = (): number => this.milliseconds
}

function optionsOf ({ now }: Clock, options: Partial<MeasureOptions> = {}): MeasureOptions {
  return { end: 10_000, share: 10_000, concurrency: 4, signal, now, ...options }
}

function makeFrames (...sizes: number[]): Uint8Array[] {
  return sizes.map((size, i) => new Uint8Array(size).fill(i + 1))
}

/** A codec that halves frames, and moves the clock: it compresses 1 KiB a millisecond, and decompresses 4 KiB. */
function fakeLevel (clock: Clock, change: Partial<Codec> = {}): CodecLevel & { pieces: number[] } {
  const originals = new WeakMap<Uint8Array, Uint8Array>()
  const pieces: number[] = []
  const codec: Partial<Codec> = {
    compress (bytes) {
      clock.milliseconds += bytes.byteLength / KIB
      pieces.push(bytes.byteLength)
      const frame = new Uint8Array(bytes.byteLength / 2)
      originals.set(frame, bytes)

      return frame
    },
    decompress (frame) {
      const bytes = originals.get(frame) ?? new Uint8Array(0)
      clock.milliseconds += bytes.byteLength / KIB / 4

      return bytes.slice()
    },
    ...change
  }

  return { codec: codec as Codec, level: 1, label: 'fake 1', pieces }
}

describe('measuring a codec level', () => {
  it('returns the sizes and speeds of all frames', async () => {
    const clock = new Clock()
    const frames = makeFrames(200 * KIB, 200 * KIB, 100 * KIB)

    await expect(measure(fakeLevel(clock), frames, optionsOf(clock, { concurrency: 2 }))).resolves.toEqual({
      measured: 500 * KIB,
      stored: 250 * KIB,
      compress: 1000 * KIB,
      decompress: 4000 * KIB
    })
  })

  it('counts a small file once, though it is measured several times', async () => {
    const clock = new Clock()
    const level = fakeLevel(clock)

    await expect(measure(level, makeFrames(10 * KIB), optionsOf(clock))).resolves.toMatchObject({
      measured: 10 * KIB,
      stored: 5 * KIB,
      compress: 1000 * KIB
    })
    // three to warm up, then 100 ms of 12.5 ms each
    expect(level.pieces).toHaveLength(3 + 8)
  })

  it('begins no frames after its share of the time', async () => {
    const clock = new Clock()
    const frames = makeFrames(...Array.from({ length: 10 }, () => 200 * KIB))

    await expect(measure(fakeLevel(clock), frames, optionsOf(clock, { share: 700, concurrency: 1 })))
      .resolves.toMatchObject({ measured: 400 * KIB, stored: 200 * KIB })
  })

  it('measures nothing if there is no time for a frame', async () => {
    const clock = new Clock()
    const level = fakeLevel(clock)

    await expect(measure(level, makeFrames(1000 * KIB), optionsOf(clock, { end: 1000, share: 1000 })))
      .resolves.toMatchObject({ measured: 0 })
    expect(level.pieces).toEqual([64 * KIB, 64 * KIB, 64 * KIB])
  })

  it('works on as many frames at once as `concurrency` allows', async () => {
    const clock = new Clock()
    const level = fakeLevel(clock)
    let running = 0
    let most = 0
    const codec: Codec = {
      ...level.codec,
      async compress (bytes) {
        most = Math.max(most, ++running)
        await new Promise(resolve => { setImmediate(resolve) })
        running--

        return level.codec.compress(bytes)
      }
    }

    await measure({ ...level, codec }, makeFrames(...Array.from({ length: 20 }, () => 10)), optionsOf(clock, {
      concurrency: 3
    }))

    expect(most).toBe(3)
  })

  it('refuses a codec that decompresses to other bytes, or not at all', async () => {
    const clock = new Clock()
    const cause = Object.assign(new Error('corrupt'), { name: 'CorruptFrameError' })
    const other = fakeLevel(clock, { decompress: (_, { size }) => new Uint8Array(size) })
    const corrupt = fakeLevel(clock, { async decompress () { throw cause } })

    await expect(measure(other, makeFrames(10), optionsOf(clock)))
      .rejects.toMatchObject({ name: 'DifferenceError', label: 'fake 1' })
    await expect(measure(corrupt, makeFrames(10), optionsOf(clock)))
      .rejects.toMatchObject({ name: 'DifferenceError', cause })
  })

  it('ends with an AbortError when it is aborted', async () => {
    const clock = new Clock()
    const controller = new AbortController()
    const level = fakeLevel(clock)
    let calls = 0
    const codec: Codec = {
      ...level.codec,
      compress (bytes) {
        if (++calls === 5) {
          controller.abort()
        }

        return level.codec.compress(bytes)
      }
    }

    await expect(measure({ ...level, codec }, makeFrames(10), optionsOf(clock, { signal: controller.signal })))
      .rejects.toMatchObject({ name: 'AbortError' })
    expect(calls).toBe(5)
  })

  it.each(allCodecs())('measures $name on noise, at its lowest level', async codec => {
    const level = { codec, level: codec.levels.min, label: codec.name }
    const { measured, stored, compress, decompress } = await measure(level, [noise(1000)], {
      ...optionsOf(new Clock()), now: () => performance.now(), end: Infinity, share: 0
    })

    expect(measured).toBe(1000)
    expect(stored).toBeGreaterThan(900)
    expect(Math.min(compress, decompress)).toBeGreaterThan(0)
  })
})
