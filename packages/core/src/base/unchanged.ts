import type { Piece } from '../frames/compress-frames.ts'

/** Compares the pieces of a file, in order, with the same places of its base. */
export class Unchanged {
  #position = 0
  #isSame = true

  add (piece: Piece): void {
    this.#isSame &&= isSame(piece, this.#position)
    this.#position += piece.bytes.byteLength
  }

  /** Whether all pieces together are the base, which has `size` bytes. */
  isWhole (size: number): boolean {
    return this.#isSame && this.#position === size
  }
}

function isSame ({ bytes, region, dictionary, frame, sameAt }: Piece, start: number): boolean {
  if (frame != null) {
    return sameAt === start
  }

  if (region == null || dictionary == null) {
    return false
  }

  const from = start - region.offset

  if (from < 0 || from + bytes.byteLength > region.length) {
    return false
  }

  for (let i = 0; i < bytes.byteLength; i++) {
    if (bytes[i] !== dictionary[from + i]) {
      return false
    }
  }

  return true
}
