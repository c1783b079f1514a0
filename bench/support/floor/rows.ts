import { median, rounded, spread } from '../../benchmark.ts'
import { PLAIN } from '../file-systems.ts'
import { FLOOR } from './names.ts'
import type { Row, Time } from '../../benchmark.ts'

/**
 * A row for each side, compared with plain Helia and with the floor.
 *
 * @param what - the first columns
 * @param size - bytes of the file
 */
export function toRows (what: Row, size: number, times: ReadonlyMap<string, readonly Time[]>): Row[] {
  const of = (side: string, value: keyof Time): number => median((times.get(side) ?? []).map(time => time[value]))

  return Array.from(times, ([side, measured]) => ({
    ...what,
    side,
    'MB/s': rounded(size / 1000 / of(side, 'wall')),
    'ms, median': rounded(of(side, 'wall')),
    'ms, spread': spread(measured.map(({ wall }) => wall)),
    'CPU ms': rounded(of(side, 'cpu')),
    'times as fast': rounded(of(PLAIN, 'wall') / of(side, 'wall')),
    'share of the floor': rounded(of(FLOOR, 'wall') / of(side, 'wall')),
    'share of its CPU': rounded(of(FLOOR, 'cpu') / of(side, 'cpu'))
  }))
}
