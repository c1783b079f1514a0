import { GEAR, gearMask, mix } from '../cut/gear.ts'
import { SAMPLE_LENGTH } from './samples.ts'

/** Maximum number of bytes of a file that are read for its sketch, 256 KiB. */
export const SKETCHED_SIZE = 256 * 1024

/** The numbers in a sketch. */
const SKETCH_LENGTH = 8
/** One position in 32 has a hash that may be in the sketch. */
const MASK = gearMask(5)

/**
 * A few numbers that files have in common if their beginnings are alike, wherever the same bytes lie in them: the
 * least hashes of spans of 32 bytes (A. Broder, "On the resemblance and containment of documents", 1997). Half of the
 * numbers of two sketches are equal if about half of the bytes are.
 *
 * @param bytes - the beginning of a file. Only its first 256 KiB count
 * @returns at most 8 different whole numbers of 32 bits, the least first. Short or monotonous bytes have fewer
 */
export function sketchOf (bytes: Uint8Array): number[] {
  const length = Math.min(bytes.byteLength, SKETCHED_SIZE)
  const least: number[] = []
  let gear = 0

  for (let i = 0; i < length; i++) {
    gear = (gear << 1) + GEAR[bytes[i]] | 0

    if ((gear & MASK) === 0 && i >= SAMPLE_LENGTH - 1) {
      insert(least, mix(gear) >>> 0)
    }
  }

  return least
}

/** Insert a number into a sorted list of the least ones, if it is among them. */
function insert (least: number[], hash: number): void {
  const last = least.at(-1)

  if (least.length === SKETCH_LENGTH && last != null && hash >= last) {
    return
  }

  const at = least.findLastIndex(other => other <= hash)

  if (least[at] !== hash) {
    least.splice(at + 1, 0, hash)
    least.length = Math.min(least.length, SKETCH_LENGTH)
  }
}
