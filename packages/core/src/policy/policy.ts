import { MAX_INLINE_SIZE, MAX_LEAF_SIZE, MIN_GAIN } from '../constants.ts'
import { isCompressedType } from './detector.ts'
import type { Choice, Compression } from './compression.ts'
import type { DecidedProgress } from '../events.ts'
import type { Frame } from '../frames/compress-frames.ts'

/** Bytes of a root without its content, roughly: its header and UnixFS fields. */
const ROOT_LENGTH = 64
/** Bytes that a link takes in a root: a CID, its sizes and their tags. */
const LINK_LENGTH = 52

/** What a file is compressed with, if anything, and why. */
export interface Decision {
  choice?: Choice
  reason: DecidedProgress['reason']
  /** The first frame, where it was tried and is good. */
  trial?: Frame
}

/**
 * Decide whether a file is worth compressing, and with what.
 *
 * @param piece - the first `frameSize` bytes of the file, or all of it
 */
export async function decide (piece: Uint8Array, { choose, detect }: Compression, signal?: AbortSignal | null): Promise<Decision> {
  if (piece.byteLength === 0) {
    return { reason: 'empty' }
  }

  if (!detect) {
    return { choice: await choose(piece, signal), reason: 'options' }
  }

  // a file that the root's own bytes alone would make longer, which many small files are
  if (!isGain(piece.byteLength, 0)) {
    return { reason: 'trial' }
  }

  if (await isCompressedType(piece)) {
    return { reason: 'type' }
  }

  const choice = await choose(piece, signal)

  if (choice == null) {
    return { reason: 'trial' }
  }

  const trial = { size: piece.byteLength, bytes: await choice.codec.compress(piece, { level: choice.level, signal }) }

  return isGain(trial.size, trial.bytes.byteLength) ? { choice, reason: 'trial', trial } : { reason: 'trial' }
}

/**
 * Whether compressing a file is worth it, judged by its first frame, or by all of
 * it where it is smaller: it must come out at least 5 % smaller, the root counted.
 *
 * @param size - original bytes in the frame
 * @param length - compressed bytes of the frame
 */
export function isGain (size: number, length: number): boolean {
  const links = length <= MAX_INLINE_SIZE ? 0 : Math.ceil(length / MAX_LEAF_SIZE)

  return length + ROOT_LENGTH + links * LINK_LENGTH <= size * (1 - MIN_GAIN)
}
