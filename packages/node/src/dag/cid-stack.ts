import { CID } from 'multiformats/cid'

/** The least size in bytes of the buffers that hold the CIDs. A buffer is freed once it is empty. */
const PIECE_SIZE = 64 * 1024
/** The bytes before each CID, its length, and after it: its length again, the number, and the flag. */
const HEAD_SIZE = 4
const TAIL_SIZE = 4 + 8 + 1

/** A CID, with a number and a flag that belong to it. */
export interface StackedCid {
  cid: CID
  number: number
  flag: boolean
}

/** Records from `start` to `used`. */
interface Piece {
  bytes: Buffer
  start: number
  used: number
}

/**
 * A stack of CIDs, which can also be taken from its bottom. Each takes 17 bytes plus itself. An object would take 400,
 * and a hostile DAG may have a link in every 40 bytes.
 */
export class CidStack {
  readonly #pieces: Piece[] = []

  get isEmpty (): boolean {
    return this.#pieces.length === 0
  }

  push ({ cid: { bytes: { byteLength: length }, bytes }, number, flag }: StackedCid): void {
    let piece = this.#pieces.at(-1)

    if (piece == null || piece.used + HEAD_SIZE + length + TAIL_SIZE > piece.bytes.byteLength) {
      const bytes = Buffer.allocUnsafeSlow(Math.max(PIECE_SIZE, HEAD_SIZE + length + TAIL_SIZE))
      piece = { bytes, start: 0, used: 0 }
      this.#pieces.push(piece)
    }

    piece.used = piece.bytes.writeUInt32LE(length, piece.used)
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

  /** The number of the CID that `shift` returns next. Undefined: the stack is empty. */
  peekFirstNumber (): number | undefined {
    const piece = this.#pieces.at(0)

    return piece?.bytes.readDoubleLE(piece.start + HEAD_SIZE + piece.bytes.readUInt32LE(piece.start) + 4)
  }

  pop (): StackedCid {
    const piece = this.#pieceAt(-1)
    const tail = piece.used - TAIL_SIZE

    piece.used = tail - piece.bytes.readUInt32LE(tail) - HEAD_SIZE

    if (piece.used === piece.start) {
      this.#pieces.pop()
    }

    return read(piece, piece.used)
  }

  /** Take the CID that was pushed first. */
  shift (): StackedCid {
    const piece = this.#pieceAt(0)
    const { start } = piece

    piece.start += HEAD_SIZE + piece.bytes.readUInt32LE(start) + TAIL_SIZE

    if (piece.used === piece.start) {
      this.#pieces.shift()
    }

    return read(piece, start)
  }

  #pieceAt (index: number): Piece {
    const piece = this.#pieces.at(index)

    if (piece == null) {
      throw new Error('The stack is empty')
    }

    return piece
  }
}

function read ({ bytes }: Piece, start: number): StackedCid {
  const from = start + HEAD_SIZE
  const tail = from + bytes.readUInt32LE(start)

  return {
    // a copy, so that the CID does not keep the whole piece in memory
    cid: CID.decode(Uint8Array.from(bytes.subarray(from, tail))),
    number: bytes.readDoubleLE(tail + 4),
    flag: bytes.readUInt8(tail + 12) === 1
  }
}
