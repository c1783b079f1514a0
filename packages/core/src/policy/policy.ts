import { MAX_INLINE_SIZE, MAX_LEAF_SIZE, MIN_GAIN } from '../constants.ts'
import { isCompressedType } from './detector.ts'
import type { Choice, Compression } from './compression.ts'
import type { DecidedProgress } from '../events.ts'
import type { Frame } from '../frames/compress-frames.ts'

/** Approximate bytes of a root block without its content: header and UnixFS fields. */
const ROOT_LENGTH = 64
/** Bytes that a link takes in a root block: CID, sizes and tags. */
const LINK_LENGTH = 52

/** How to compress a file, if at all, and why. */
interface Decision {
  choice?: Choice
  reason: DecidedProgress['reason']
  /** The first frame, if the trial compressed it and it pays off. */
  trial?: Frame
}

/**
 * Decide whether compressing a file pays off, and with what.
 *
 * @param piece - the first `frameSize` bytes of the file, or all of a shorter file
 */
export async function decide (
  piece: Uint8Array,
  { choose, detect }: Compression,
  signal?: AbortSignal | null
): Promise<Decision> {
  if (piece.byteLength === 0) {
    return { reason: 'empty' }
  }

  if (!detect) {
    return { choice: await choose(piece, signal), reason: 'options' }
  }

  // a file so small that the root block's overhead alone cancels the saving
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
 * Whether compression pays off. It does if the first frame, which is all of a small file,
 * shrinks by at least 5 % with the root block included.
 *
 * @param size - original bytes in the frame
 * @param length - compressed bytes of the frame
 */
export function isGain (size: number, length: number): boolean {
  const links = length <= MAX_INLINE_SIZE ? 0 : Math.ceil(length / MAX_LEAF_SIZE)

  return length + ROOT_LENGTH + links * LINK_LENGTH <= size * (1 - MIN_GAIN)
}
