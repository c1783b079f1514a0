import type { CodecLevel } from '../src/bench/codec-levels.ts'
import type { Row } from '../src/bench/estimate.ts'
import type { Codec } from '@ipfsz/codecs'

/** A clock that stands still until it is moved. */
export class Clock {
  milliseconds = 0

  readonly now = (): number => this.milliseconds
}

export interface FakeInit {
  name?: string
  level?: number
  /** Original bytes per millisecond. */
  compress?: number
  decompress?: number
  /** Compressed bytes per original byte. */
  ratio?: number | ((bytes: Uint8Array) => number)
}

/** A codec that compresses nothing, and moves the clock by the time that it is to take. */
export function fakeCodecLevel (
  clock: Clock,
  { name = 'fake', level = 1, compress = 1e6, decompress = 1e6, ratio = 0.5 }: FakeInit = {}
): CodecLevel & { pieces: number[] } {
  const originals = new WeakMap<Uint8Array, Uint8Array>()
  const pieces: number[] = []

  const codec: Pick<Codec, 'levels' | 'implementation' | 'compress' | 'decompress'> = {
    levels: { min: 1, max: 9, default: 1 },
    implementation: 'js',
    compress (bytes) {
      clock.milliseconds += bytes.byteLength / compress
      pieces.push(bytes.byteLength)
      const frame = new Uint8Array(Math.round(bytes.byteLength * (typeof ratio === 'number' ? ratio : ratio(bytes))))
      originals.set(frame, bytes)

      return frame
    },
    decompress (frame) {
      const bytes = originals.get(frame) ?? new Uint8Array(0)
      clock.milliseconds += bytes.byteLength / decompress

      return bytes.slice()
    }
  }

  return { codec: { ...codec, name, code: 0 } as unknown as Codec, level, label: `${name} ${level}`, pieces }
}

/** A row as `estimate` makes it. The seconds are over 10 Mbit/s, 100 Mbit/s and 1 Gbit/s. */
export function fakeRow (
  codec: string,
  level: number | undefined,
  ratio: number,
  [slow, usual, fast]: readonly number[],
  row: Partial<Row> = {}
): Row {
  return {
    label: level == null ? codec : `${codec} ${level}`,
    codec,
    ...level == null ? {} : { level, implementation: 'native' },
    measured: 1000,
    stored: ratio * 1000,
    ratio,
    compress: level == null ? Infinity : 123_456_789,
    decompress: level == null ? Infinity : 456_000_000,
    rounds: 3,
    seconds: { '10 Mbit/s': slow, '100 Mbit/s': usual, '1 Gbit/s': fast },
    partial: false,
    margin: 0,
    ...row
  }
}
