import type { Header } from './header.ts'

type Sizes = Pick<Header, 'frameSize' | 'frameSizes' | 'size'>

/** Frames, and where the first of them begins in the original. */
interface FrameRange {
  first: number
  last: number
  /** In bytes. */
  start: number
}

/** How many frames a file has. */
export function frameCount ({ frameLengths, table }: Pick<Header, 'frameLengths' | 'table'>): number {
  return table?.frames ?? frameLengths.length
}

/** Original bytes in a frame of a header that lists its frames. */
export function frameSizeAt ({ size, frameSize, frameSizes }: Sizes, frame: number): number {
  return frameSizes?.[frame] ?? Math.min(frameSize, size - frame * frameSize)
}

/** The frames that hold the original bytes from `start` to `end` (exclusive), of which there is at least one. */
export function framesWithin ({ frameSize, frameSizes }: Sizes, start: number, end: number): FrameRange {
  if (frameSizes == null) {
    const first = Math.floor(start / frameSize)

    return { first, last: Math.floor((end - 1) / frameSize), start: first * frameSize }
  }

  let first = 0
  let from = 0

  while (from + frameSizes[first] <= start) {
    from += frameSizes[first++]
  }

  let last = first
  let until = from + frameSizes[first]

  while (until < end) {
    until += frameSizes[++last]
  }

  return { first, last, start: from }
}
