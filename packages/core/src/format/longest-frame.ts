import { maxFrameLength } from './check-header.ts'
import type { Header } from './header.ts'

/** The most compressed bytes in a frame: of one that a table lists, the most that it may have. */
export function longestFrame (
  { size, frameSize, frameLengths, table }: Pick<Header, 'frameLengths' | 'frameSize' | 'size' | 'table'>
): number {
  return table == null
    ? frameLengths.reduce((longest, length) => Math.max(longest, length), 0)
    : maxFrameLength(Math.min(size, frameSize))
}
