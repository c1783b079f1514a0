import { maxFrameLength } from './check-header.ts'
import type { Header } from './header.ts'

/** Maximum number of compressed bytes of a frame, for frames in a table the maximum that it allows. */
export function longestFrame (
  { size, frameSize, frameLengths, table }: Pick<Header, 'frameLengths' | 'frameSize' | 'size' | 'table'>
): number {
  return table == null
    ? frameLengths.reduce((longest, length) => Math.max(longest, length), 0)
    : maxFrameLength(Math.min(size, frameSize))
}
