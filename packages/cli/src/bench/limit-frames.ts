import { sizeOf } from './pass.ts'

/** Frames are cut to a multiple of this many bytes, 64 KiB. */
const UNIT = 64 * 1024

/**
 * Limits frames to what a slow level compresses in time: all frames, fewer of them, or a part of each of a few, from
 * the beginning of the first to the end of the last. There are always enough to keep every core busy, if there are that
 * many frames: a single thread is slower than `ipfsz add`.
 *
 * @param bytes - how many bytes there is time for
 * @param width - how many frames keep every core busy
 */
export function limitFrames (frames: readonly Uint8Array[], bytes: number, width: number): Uint8Array[] {
  const largest = Math.max(...frames.map(frame => frame.byteLength))
  const count = Math.floor(bytes / largest)

  if (bytes >= sizeOf(frames)) {
    return [...frames]
  }

  if (count >= width) {
    return pickEvenly(frames, count)
  }

  const size = Math.max(1, Math.floor(bytes / width / UNIT)) * UNIT

  return pickEvenly(frames, width).map((frame, i, { length }) => {
    const start = Math.floor(Math.max(0, frame.byteLength - size) * i / Math.max(1, length - 1))

    return frame.subarray(start, start + size)
  })
}

/** As many of some values as are wanted, or all, spread evenly. */
export function pickEvenly<T> (values: readonly T[], count: number): T[] {
  const few = Math.min(count, values.length)

  return Array.from({ length: few }, (_, i) => values[Math.floor(i * values.length / few)])
}
