import { MAX_INLINE_SIZE, MAX_LEAF_SIZE, MIN_GAIN } from './constants.ts'
import { isCompressedType } from './detector.ts'
import type { Compression } from './compression.ts'
import type { DecidedProgress } from './events.ts'
import type { Frame } from './frame.ts'

/** Bytes of a root without its content, roughly: its header and UnixFS fields. */
const ROOT_LENGTH = 64
/** Bytes that a link takes in a root: a CID, its sizes and their tags. */
const LINK_LENGTH = 52

/** Whether a file is compressed, and why. */
export interface Decision {
  compress: boolean
  reason: DecidedProgress['reason']
  /** The first frame, where it was tried and is good. */
  trial?: Frame
}

/**
 * Decide whether a file is worth compressing.
 *
 * @param piece - the first `frameSize` bytes of the file, or all of it
 */
export async function decide (piece: Uint8Array, { codec, level, detect }: Compression, signal?: AbortSignal | null): Promise<Decision> {
  if (piece.byteLength === 0) {
    return { compress: false, reason: 'empty' }
  }

  if (!detect) {
    return { compress: true, reason: 'options' }
  }

  if (await isCompressedType(piece)) {
    return { compress: false, reason: 'type' }
  }

  const trial = { size: piece.byteLength, bytes: await codec.compress(piece, { level, signal }) }

  return isGain(trial.size, trial.bytes.byteLength)
    ? { compress: true, reason: 'trial', trial }
    : { compress: false, reason: 'trial' }
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
