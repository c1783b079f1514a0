import { SAMPLE_LENGTH, viewOf } from './samples.ts'
import type { SampleIndex } from './sample-index.ts'

/** A look whether a piece is in the base reads as many bytes as from one sample to the next, once in 256 times that. */
const LOOK_EVERY = 256
/** With a quarter of these looks successful, it is. */
const MIN_SHARED = 1 / 4

/**
 * Whether about a quarter of a piece or more is in a base. That is a guess from few of its bytes: where it is, a sample
 * begins within as many bytes as there are from one to the next, and the next one follows.
 *
 * @param start - where the piece begins in its own file, of which every 256th place is looked at
 */
export function isShared (index: SampleIndex, piece: Uint8Array, start: number): boolean {
  const { step } = index
  const every = LOOK_EVERY * step
  const view = viewOf(piece)
  let [looks, shared] = [0, 0]

  for (let from = (every - start % every) % every; from + 2 * step + SAMPLE_LENGTH <= piece.byteLength; from += every) {
    looks++
    shared += hasTwoFrom(index, piece, view, from) ? 1 : 0
  }

  return shared > 0 && shared >= looks * MIN_SHARED
}

/** Whether a sample of the base begins soon after a place in a piece, and the next one follows. */
function hasTwoFrom (index: SampleIndex, piece: Uint8Array, view: DataView, from: number): boolean {
  const { step, found } = index
  const span = piece.subarray(from, from + step + SAMPLE_LENGTH)
  const spanView = viewOf(span)

  for (let at = index.search(span, spanView, 0); at >= 0; at = index.search(span, spanView, at + 1)) {
    if (found.some(sample => index.has(sample + 1, view, from + at + step))) {
      return true
    }
  }

  return false
}
