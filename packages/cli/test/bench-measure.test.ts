import { allCodecs } from '@ipfsz/codecs/all'
import { assert, describe, expect, it } from 'vitest'
import { noise } from '../../../test/support/data.ts'
import { limitFrames } from '../src/bench/limit-frames.ts'
import { measure } from '../src/bench/measure.ts'
import { runPass, sizeOf } from '../src/bench/pass.ts'
import { Clock, fakeCodecLevel } from './bench-fakes.ts'
import type { CodecLevel } from '../src/bench/codec-levels.ts'
import type { MeasureOptions } from '../src/bench/measure.ts'
import type { Codec } from '@ipfsz/codecs'

const KIB = 1024
const MIB = 1024 * KIB
const { signal } = new AbortController()

function optionsOf ({ now }: Clock, options: Partial<MeasureOptions> = {}): MeasureOptions {
  return { time: 10_000, width: 2, concurrency: 4, signal, now, ...options }
}

function makeFrames (...sizes: number[]): Uint8Array[] {
  return sizes.map((size, i) => new Uint8Array(size).fill(i + 1))
}

describe('limitFrames', () => {
  const frames = makeFrames(MIB, MIB, MIB, MIB, 10)
  /** Which frames are taken whole. */
  const indexes = (bytes: number, width: number): number[] =>
    limitFrames(frames, bytes, width).map(frame => frames.indexOf(frame))

  it('takes all frames when there is time for all', () => {
    expect(indexes(4 * MIB + 10, 2)).toEqual([0, 1, 2, 3, 4])
    expect(indexes(Infinity, 2)).toEqual([0, 1, 2, 3, 4])
  })

  it('takes fewer whole frames, evenly spread', () => {
    expect(indexes(2 * MIB, 2)).toEqual([0, 2])
    expect(indexes(4 * MIB, 2)).toEqual([0, 1, 2, 3])
  })

  it('takes pieces of as many frames as keep every core busy, from different parts of frames', () => {
    expect(limitFrames(frames, 1.5 * MIB, 2).map(({ byteLength }) => byteLength)).toEqual([768 * KIB, 768 * KIB])
    expect(limitFrames(frames, 1.5 * MIB, 4).map(({ byteLength }) => byteLength))
      .toEqual([384 * KIB, 384 * KIB, 384 * KIB, 384 * KIB])
    expect(limitFrames(frames, 1.5 * MIB, 3).map(({ byteOffset }) => byteOffset)).toEqual([0, 256 * KIB, 512 * KIB])
  })

  it('takes at least 64 KiB of each frame, and all of a shorter one', () => {
    expect(limitFrames(makeFrames(MIB, 100), 1, 2).map(({ byteLength }) => byteLength)).toEqual([64 * KIB, 100])
    expect(limitFrames(makeFrames(MIB), 0, 8).map(({ byteLength }) => byteLength)).toEqual([64 * KIB])
  })
})

describe('runPass', () => {
  it('returns sizes and times', async () => {
    const clock = new Clock()

    expect(
      await runPass(
        fakeCodecLevel(clock, { compress: 100, decompress: 400, ratio: 0.25 }),
        makeFrames(1000, 200),
        optionsOf(clock)
      )
    )
      .toEqual({ size: 1200, stored: 300, storedSizes: [250, 50], compress: 12, decompress: 3 })
  })

  it('works on no more frames at once than `concurrency` allows', async () => {
    const clock = new Clock()
    const codecLevel = fakeCodecLevel(clock)
    const { codec } = codecLevel
    let running = 0
    let most = 0

    const slow = {
      ...codec,
      async compress (bytes: Uint8Array) {
        most = Math.max(most, ++running)
        await new Promise(resolve => { setImmediate(resolve) })
        running--

        return codec.compress(bytes)
      }
    }

    await runPass(
      { ...codecLevel, codec: slow },
      makeFrames(...Array.from({ length: 20 }, () => 10)),
      optionsOf(clock, { concurrency: 3 })
    )

    expect(most).toBe(3)
  })

  it('refuses a codec that decompresses to other bytes', async () => {
    const codecLevel = fakeCodecLevel(new Clock())
    const codec = {
      ...codecLevel.codec,
      decompress: (_: Uint8Array, { size }: { size: number }) => new Uint8Array(size)
    }

    await expect(runPass({ ...codecLevel, codec }, makeFrames(10), optionsOf(new Clock())))
      .rejects.toMatchObject({ name: 'DifferenceError', label: 'fake 1' })
  })

  it('refuses a codec that cannot decompress its own frames', async () => {
    const codecLevel = fakeCodecLevel(new Clock())
    const cause = Object.assign(new Error('corrupt'), { name: 'CorruptFrameError' })
    const codec = { ...codecLevel.codec, async decompress (): Promise<Uint8Array> { throw cause } }

    await expect(runPass({ ...codecLevel, codec }, makeFrames(10), optionsOf(new Clock())))
      .rejects.toMatchObject({ name: 'DifferenceError', cause })
  })

  it('ends with an AbortError when it is aborted', async () => {
    const controller = new AbortController()
    const codecLevel = fakeCodecLevel(new Clock())
    const { codec } = codecLevel
    let calls = 0
    const aborting = {
      ...codec,
      compress (bytes: Uint8Array) {
        calls++
        controller.abort()

        return codec.compress(bytes)
      }
    }

    await expect(
      runPass(
        { ...codecLevel, codec: aborting },
        makeFrames(1, 1, 1, 1),
        optionsOf(new Clock(), { concurrency: 1, signal: controller.signal })
      )
    ).rejects.toMatchObject({ name: 'AbortError' })
    expect(calls).toBe(1)
  })
})

describe('measure', () => {
  it('returns sizes and speeds in the order of the codec levels', async () => {
    const clock = new Clock()
    const slow = fakeCodecLevel(clock, { name: 'slow', compress: 10_000, decompress: 50_000, ratio: 0.25 })
    const fast = fakeCodecLevel(clock, { name: 'fast', compress: 100_000, decompress: 200_000 })

    const { measurements } = await measure([slow, fast], makeFrames(MIB, MIB), optionsOf(clock))

    expect(measurements.map(({ codecLevel, size, stored, ratio }) => [codecLevel.label, size, stored, ratio])).toEqual([
      ['slow 1', 2 * MIB, MIB / 2, 0.25],
      ['fast 1', 2 * MIB, MIB, 0.5]
    ])
    expect(measurements[0].compress).toBeCloseTo(10e6, 0)
    expect(measurements[0].decompress).toBeCloseTo(50e6, 0)
    expect(measurements[1].compress).toBeCloseTo(100e6, 0)
    expect(measurements[1].decompress).toBeCloseTo(200e6, 0)
  })

  it('returns medians that do not count the warm-up', async () => {
    const clock = new Clock()
    const codecLevel = fakeCodecLevel(clock, { compress: 10_000, decompress: 10_000 })
    const { codec } = codecLevel
    // extra milliseconds
    const warmUps = [1000]
    const rounds = [0, 200, 50]
    const uneven = {
      ...codec,
      compress (bytes: Uint8Array) {
        clock.milliseconds += (bytes.byteLength === 4 * MIB ? rounds : warmUps).shift() ?? 0

        return codec.compress(bytes)
      }
    }

    const { measurements: [measurement] } = await measure(
      [{ ...codecLevel, codec: uneven }],
      makeFrames(4 * MIB),
      optionsOf(clock, { time: 60_000 })
    )

    expect(measurement.rounds).toBe(3)
    expect(measurement.compress).toBeCloseTo(4 * MIB / (4 * MIB / 10_000 + 50) * 1000, 0)
  })

  it('measures fast levels several times, in turns', async () => {
    const clock = new Clock()
    const started: string[] = []
    const codecLevels = [
      fakeCodecLevel(clock, { name: 'a', compress: 50_000 }),
      fakeCodecLevel(clock, { name: 'b', compress: 40_000 })
    ]

    const { measurements } = await measure(
      codecLevels,
      makeFrames(MIB, MIB, MIB, MIB),
      optionsOf(clock, { onStart ({ label }) { started.push(label) } })
    )

    expect(measurements.map(({ rounds }) => rounds)).toEqual([3, 3])
    expect(started).toEqual(['a 1', 'b 1', 'a 1', 'b 1', 'a 1', 'b 1', 'a 1', 'b 1'])
  })

  it('measures a small file more often, but at most 25 times', async () => {
    const clock = new Clock()

    const { measurements: [{ size, rounds }] } = await measure(
      [fakeCodecLevel(clock)],
      makeFrames(10),
      optionsOf(clock)
    )

    expect(size).toBe(10)
    expect(rounds).toBe(25)
  })

  it('measures slow levels on a few frames, and the others on all', async () => {
    const clock = new Clock()
    const slow = fakeCodecLevel(clock, { name: 'slow', compress: 3000 })
    const fast = fakeCodecLevel(clock, { name: 'fast', compress: 100_000 })
    const frames = makeFrames(4 * MIB, 4 * MIB, 4 * MIB, 4 * MIB)

    const { measurements: [ofSlow, ofFast] } = await measure([slow, fast], frames, optionsOf(clock))

    expect(ofFast).toMatchObject({ size: 16 * MIB, margin: 0 })
    expect(ofSlow.size).toBe(8 * MIB)
    expect(ofSlow.compress).toBeCloseTo(3e6, 0)
    expect(clock.milliseconds).toBeLessThanOrEqual(10_000)
  })

  it('leaves out levels without time for a few frames, and says what time they need', async () => {
    const clock = new Clock()
    const slow = fakeCodecLevel(clock, { name: 'slow', compress: 500 })
    const fast = fakeCodecLevel(clock, { name: 'fast', compress: 100_000 })
    const frames = makeFrames(4 * MIB, 4 * MIB, 4 * MIB, 4 * MIB)

    const { measurements, unmeasured, needed } = await measure([slow, fast], frames, optionsOf(clock))

    expect(measurements.map(({ codecLevel }) => codecLevel)).toEqual([fast])
    expect(unmeasured.map(({ codecLevel }) => codecLevel)).toEqual([slow])
    expect(clock.milliseconds).toBeLessThanOrEqual(10_000)

    const again = await measure([slow, fast], frames, optionsOf(clock, { time: needed }))

    expect(again).toMatchObject({ measurements: [{ codecLevel: slow }, { codecLevel: fast }], unmeasured: [] })
  })

  it.each([
    // as fast in a frame as in a piece, like brotli 11
    [0, 5600],
    // a byte takes twice as long in a piece that is four times as large
    [0.5, 11_200]
  ])('learns from larger pieces what time a frame takes: a level that slows down with power %d', async (
    power,
    frame
  ) => {
    const frames = makeFrames(4 * MIB, 4 * MIB)
    const measureIn = async (time: number): Promise<[number, number]> => {
      const clock = new Clock()
      const codecLevel = fakeCodecLevel(clock)
      const { codec } = codecLevel
      const slow = {
        ...codec,
        compress (bytes: Uint8Array) {
          clock.milliseconds += bytes.byteLength * frame / (8 * MIB) * (bytes.byteLength / (4 * MIB)) ** power

          return codec.compress(bytes)
        }
      }
      const { measurements } = await measure([{ ...codecLevel, codec: slow }], frames, optionsOf(clock, { time }))

      return [measurements.length, clock.milliseconds]
    }

    // the frames, the pieces, and what is kept for others
    expect(await measureIn(frame * 1.7)).toEqual([1, expect.any(Number)])
    const [count, taken] = await measureIn(frame * 0.95)
    expect(count).toBe(0)
    expect(taken).toBeLessThan(frame * 0.95)
  })

  it('knows the ratio of a small file from the warm-up', async () => {
    const clock = new Clock()
    const { measurements: [measurement] } = await measure(
      [fakeCodecLevel(clock, { compress: 10 })],
      makeFrames(100 * KIB),
      optionsOf(clock, { time: 1000 })
    )

    expect(measurement).toMatchObject({ size: 100 * KIB, rounds: 1, margin: 0, ratio: close(0.5) })
  })

  it.each([1000, 5000, 20_000])('ends in time when a level gets slower with the size of a piece: %d ms', async (
    time
  ) => {
    const clock = new Clock()
    const codecLevel = fakeCodecLevel(clock)
    const { codec } = codecLevel
    const slowing = {
      ...codec,
      compress (bytes: Uint8Array) {
        // a byte takes three times as long in a piece of 4 MiB as in one of 64 KiB
        clock.milliseconds += bytes.byteLength / 4000 * (1 + Math.log2(bytes.byteLength / (64 * KIB)) / 3)

        return codec.compress(bytes)
      }
    }
    const frames = makeFrames(4 * MIB, 4 * MIB, 4 * MIB, 4 * MIB)

    const { measurements } = await measure([{ ...codecLevel, codec: slowing }], frames, optionsOf(clock, { time }))

    // two frames take 6 seconds
    expect(measurements.length).toBe(time < 10_000 ? 0 : 1)
    expect(clock.milliseconds).toBeLessThan(time * 1.1)
  })

  it('corrects a ratio that was measured on frames that compress unlike the others', async () => {
    const clock = new Clock()
    const slow = fakeCodecLevel(clock, { name: 'slow', compress: 3000, ratio: bytes => firstIsBest(bytes) / 2 })
    const fast = fakeCodecLevel(clock, { name: 'fast', ratio: firstIsBest })

    const { measurements: [{ size, stored, ratio: corrected, margin }] } = await measure(
      [slow, fast],
      makeFrames(4 * MIB, 4 * MIB, 4 * MIB, 4 * MIB),
      optionsOf(clock)
    )

    expect(size).toBe(8 * MIB)
    expect(stored / size).toBeCloseTo((0.1 + 0.9) / 2 / 2, 4)
    expect(corrected).toBeCloseTo((0.1 + 0.9 + 0.9 + 0.9) / 4 / 2, 4)
    expect(margin).toBeCloseTo(0, 4)
  })

  it('tells how sure the ratio of some of the frames is, compared with a level that knows all', async () => {
    const clock = new Clock()
    const slow = fakeCodecLevel(clock, {
      name: 'slow',
      compress: 3000,
      // sometimes better than half of the other one
      ratio: bytes => hard(bytes) / (bytes[0] === 1 ? 2.2 : 2)
    })
    const fast = fakeCodecLevel(clock, { name: 'fast', ratio: hard })
    const { measurements: [{ size, ratio, margin }] } = await measure(
      [slow, fast],
      makeFrames(4 * MIB, 4 * MIB, 4 * MIB, 4 * MIB),
      optionsOf(clock)
    )

    expect(size).toBe(8 * MIB)
    // frames 1 and 3, corrected by all four
    expect(ratio).toBeCloseTo((0.1 / 2.2 + 0.3 / 2) / 2 / 0.2 * 0.25, 3)
    expect(margin).toBeGreaterThan(0.1)
    expect(margin).toBeLessThan(1)
  })
})

describe('measure, of a file that repeats what is far apart', () => {
  /** Bytes that do not compress, twice in each frame. The distance is more than that of a piece, and than gzip sees. */
  const half = noise(80 * KIB)
  const frames = [0, 1, 2].map(i => {
    const bytes = Uint8Array.from(half, byte => byte ^ i)

    return Buffer.concat([bytes, bytes])
  })

  async function truth (name: string, level: number): Promise<number> {
    const codec = codecNamed(name)
    const stored = await Promise.all(frames.map(async frame => codec.compress(frame, { level })))

    return sizeOf(stored) / sizeOf(frames)
  }

  it.each([6000, 60_000])('every ratio is within its margin of the real one: in %d ms', async time => {
    const clock = new Clock()
    const speeds = [['gzip', 9, 1000], ['zstd', 1, 2000], ['zstd', 19, 100], ['brotli', 9, 200]] as const

    const { measurements, unmeasured } = await measure(slowed(clock, speeds), frames, optionsOf(clock, { time }))

    expect(measurements.length + unmeasured.length).toBe(4)
    expect(unmeasured.length === 0).toBe(time > 6000)

    for (const { codecLevel: { codec: { name }, level }, ratio, margin = 0 } of measurements) {
      const real = await truth(name, level)

      expect(Math.abs(ratio / real - 1), `${name} ${level}`).toBeLessThanOrEqual(margin + 0.01)
    }
  })
})

/** Real codecs, as slow as is said: in bytes per millisecond. */
function slowed (clock: Clock, speeds: ReadonlyArray<readonly [string, number, number]>): CodecLevel[] {
  return speeds.map(([name, level, speed]) => {
    const codec = codecNamed(name)

    return {
      codec: {
        name,
        levels: codec.levels,
        implementation: codec.implementation,
        compress (bytes: Uint8Array, options: { level: number }) {
          clock.milliseconds += bytes.byteLength / speed

          return codec.compress(bytes, options)
        },
        decompress: codec.decompress.bind(codec)
      } as unknown as Codec,
      level,
      label: `${name} ${level}`
    }
  })
}

function codecNamed (name: string): Codec {
  const codec = allCodecs().find(codec => codec.name === name)
  assert(codec)

  return codec
}

/** The ratio of a frame of `makeFrames`: each is harder than the one before it. */
function hard (bytes: Uint8Array): number {
  return bytes[0] / 10
}

function close (value: number): unknown {
  return expect.closeTo(value, 3)
}

/** The ratio of a frame of `makeFrames`: the first compresses well, the others do not. */
function firstIsBest (bytes: Uint8Array): number {
  return bytes[0] === 1 ? 0.1 : 0.9
}
