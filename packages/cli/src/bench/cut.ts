import { sizeOf } from './pass.ts'

/** Pieces of frames have a multiple of this many bytes, 64 KiB. */
const UNIT = 64 * 1024

/**
 * So much of some frames that a slow level is done in time: all of them, fewer of
 * them, or the beginnings of a few. There are always enough to keep every core
 * busy, where there are enough frames: one thread alone would look slower than
 * `ipfsz add` is.
 *
 * @param bytes - how many bytes there is time for
 * @param width - how many frames keep every core busy
 */
export function cut (frames: readonly Uint8Array[], bytes: number, width: number): Uint8Array[] {
  const largest = Math.max(...frames.map(frame => frame.byteLength))
  const count = Math.floor(bytes / largest)

  if (bytes >= sizeOf(frames)) {
    return [...frames]
  }

  if (count >= width) {
    return evenly(frames, count)
  }

  const size = Math.max(1, Math.floor(bytes / width / UNIT)) * UNIT

  return evenly(frames, width).map(frame => frame.subarray(0, size))
}

function evenly (frames: readonly Uint8Array[], count: number): Uint8Array[] {
  const few = Math.min(count, frames.length)

  return Array.from({ length: few }, (_, i) => frames[Math.floor(i * frames.length / few)])
}
