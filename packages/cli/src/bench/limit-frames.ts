import { sizeOf } from './pass.ts'

/** Frames are cut to a multiple of this many bytes, 64 KiB. */
const UNIT = 64 * 1024

/**
 * Limits frames to what a slow level compresses in time: all frames, fewer of them, or the beginnings
 * of a few. There are always enough to keep every core busy, if there are that many frames: a single
 * thread is slower than `ipfsz add`.
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

  return pickEvenly(frames, width).map(frame => frame.subarray(0, size))
}

function pickEvenly (frames: readonly Uint8Array[], count: number): Uint8Array[] {
  const few = Math.min(count, frames.length)

  return Array.from({ length: few }, (_, i) => frames[Math.floor(i * frames.length / few)])
}
