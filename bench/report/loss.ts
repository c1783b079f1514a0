import { numberOf } from './rows.ts'
import type { Row } from '../benchmark.ts'

/** Two figures that differ by at most this fraction count as equal. */
export const NOISE = 0.03

/** The most losses that are listed one by one. */
const FEW = 2

/** One figure that is worse, and by which factor. */
export interface Loss {
  text: string
  times: number
}

/** How many losses there are, and which. If there are many, only the smallest and the largest. */
export function extremes (losses: readonly Loss[], of: number, what: string): string {
  const sorted = losses.toSorted((a, b) => a.times - b.times).map(({ text }) => text)

  return `${losses.length} of ${of} ${what}${losses.length <= FEW
    ? `: ${list(sorted)}`
    : `, from ${sorted[0]} to ${sorted[sorted.length - 1]}`}`
}

export function isLess (row: Row, column: string): boolean {
  const value = numberOf(row, column)

  return value != null && value < 1 - NOISE
}

export function list (parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
