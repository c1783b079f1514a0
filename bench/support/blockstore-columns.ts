import { measure, median, rounded, spread } from '../benchmark.ts'
import type { Row, Time } from '../benchmark.ts'

const MB = 1e6

/** What was measured, by side and what it did. */
export class Times {
  readonly #times = new Map<string, Time[]>()

  note (side: string, what: string, time: Time): void {
    this.#times.set(keyOf(side, what), [...this.of(side, what), time])
  }

  of (side: string, what: string): readonly Time[] {
    return this.#times.get(keyOf(side, what)) ?? []
  }
}

/**
 * The columns of a row.
 *
 * @param size - of all blocks, in bytes
 * @param others - the column of each side that this one is compared with, and its times
 */
export function toColumns (
  size: number,
  times: readonly Time[],
  others: Readonly<Record<string, readonly Time[]>>
): Row {
  const wall = times.map(time => time.wall)
  const timesAsFast = Object.entries(others).map(
    ([column, other]) => [column, rounded(median(other.map(time => time.wall)) / median(wall))]
  )

  return {
    'MB/s': Math.round(size / MB / median(wall) * 1000),
    ...Object.fromEntries(timesAsFast),
    'ms, median': rounded(median(wall)),
    'ms, spread': spread(wall),
    'CPU ms': rounded(median(times.map(time => time.cpu)))
  }
}

/** The mean time of several runs. */
export async function measureOften (work: () => Promise<void>, times: number): Promise<Time> {
  const { wall, cpu } = await measure(async () => {
    for (let i = 0; i < times; i++) {
      await work()
    }
  })

  return { wall: wall / times, cpu: cpu / times }
}

function keyOf (side: string, what: string): string {
  return `${side}\n${what}`
}
