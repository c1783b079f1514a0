import { CID } from 'multiformats/cid'

/** The least size in bytes of the buffers that hold the CIDs. A buffer is freed once it is empty. */
const PIECE_SIZE = 64 * 1024
/** The bytes after each CID: its length, the number, and the flag. */
const TAIL_SIZE = 4 + 8 + 1

/** A CID, with a number and a flag that belong to it. */
export interface StackedCid {
  cid: CID
  number: number
  flag: boolean
}

interface Piece {
  bytes: Buffer
  used: number
}

/**
 * A stack of CIDs. Each takes 13 bytes plus itself. An object would take 400, and a hostile DAG may have a link in
 * every 40 bytes.
 */
export class CidStack {
  readonly #pieces: Piece[] = []

  get isEmpty (): boolean {
    return this.#pieces.length === 0
  }

  push ({ cid: { bytes: { byteLength: length }, bytes }, number, flag }: StackedCid): void {
    let piece = this.#pieces.at(-1)

    if (piece == null || piece.used + length + TAIL_SIZE > piece.bytes.byteLength) {
      piece = { bytes: Buffer.allocUnsafeSlow(Math.max(PIECE_SIZE, length + TAIL_SIZE)), used: 0 }
      this.#pieces.push(piece)
    }

    piece.bytes.set(bytes, piece.used)
    piece.used += length
    piece.used = piece.bytes.writeUInt32LE(length, piece.used)
    piece.used = piece.bytes.writeDoubleLE(number, piece.used)
    piece.used = piece.bytes.writeUInt8(flag ? 1 : 0, piece.used)
  }

  /** The number of the CID that `pop` returns next. Undefined: the stack is empty. */
  peekNumber (): number | undefined {
    const piece = this.#pieces.at(-1)

    return piece?.bytes.readDoubleLE(piece.used - TAIL_SIZE + 4)
  }

  /** @throws {Error} the stack is empty */
  pop (): StackedCid {
    const piece = this.#pieces.at(-1)

    if (piece == null) {
      throw new Error('The stack is empty')
    }

    const tail = piece.used - TAIL_SIZE
    const length = piece.bytes.readUInt32LE(tail)

    piece.used = tail - length

    // a copy, so that the CID does not keep the whole piece in memory
    const stacked = {
      cid: CID.decode(Uint8Array.from(piece.bytes.subarray(piece.used, tail))),
      number: piece.bytes.readDoubleLE(tail + 4),
      flag: piece.bytes.readUInt8(tail + 12) === 1
    }

    if (piece.used === 0) {
      this.#pieces.pop()
    }

    return stacked
  }
}
