import { CID } from 'multiformats/cid'

/** The least size in bytes of the buffers that hold the waiting blocks. A buffer is freed once it is empty. */
const PIECE_SIZE = 64 * 1024
/** The bytes after each CID: its length, the levels to walk below it, and whether it is new. */
const TAIL_SIZE = 4 + 8 + 1

/** How many blocks are read at once. */
const CONCURRENCY = 16
/** The most bytes that are read at once: large blocks are read fewer at a time. */
const MAX_SIZE = 32 * 1024 * 1024

/** A block to visit. */
export interface Waiting {
  cid: CID
  /** How many levels below it to walk. */
  levels: number
  /** Whether it is reached for the first time. */
  isNew: boolean
}

interface Piece {
  bytes: Buffer
  used: number
}

/**
 * A stack of the blocks that a walk has found links to and not yet visited. Each takes 13 bytes plus its CID. An object
 * would take 400, and a hostile DAG may have a link in every 40 bytes.
 */
export class WaitingBlocks {
  readonly #pieces: Piece[] = []
  /** Size in bytes of the largest block so far: the next may be as large. */
  #largest = 0

  get isEmpty (): boolean {
    return this.#pieces.length === 0
  }

  push ({ cid: { bytes: { byteLength: length }, bytes }, levels, isNew }: Waiting): void {
    let piece = this.#pieces.at(-1)

    if (piece == null || piece.used + length + TAIL_SIZE > piece.bytes.byteLength) {
      piece = { bytes: Buffer.allocUnsafeSlow(Math.max(PIECE_SIZE, length + TAIL_SIZE)), used: 0 }
      this.#pieces.push(piece)
    }

    piece.bytes.set(bytes, piece.used)
    piece.used += length
    piece.used = piece.bytes.writeUInt32LE(length, piece.used)
    piece.used = piece.bytes.writeDoubleLE(levels, piece.used)
    piece.used = piece.bytes.writeUInt8(isNew ? 1 : 0, piece.used)
  }

  /** Take off the blocks to visit next, all at once, in the order in which they were pushed. */
  take (): Waiting[] {
    const count = Math.min(CONCURRENCY, Math.max(1, Math.floor(MAX_SIZE / this.#largest)))
    const taken: Waiting[] = []

    while (taken.length < count && !this.isEmpty) {
      taken.push(this.#pop())
    }

    return taken.toReversed()
  }

  /** Record the size in bytes of a block that was read. */
  noteSize (size: number): void {
    this.#largest = Math.max(this.#largest, size)
  }

  #pop (): Waiting {
    const piece = this.#pieces[this.#pieces.length - 1]
    const tail = piece.used - TAIL_SIZE
    const length = piece.bytes.readUInt32LE(tail)

    piece.used = tail - length

    // a copy, so that the CID does not keep the whole piece in memory
    const waiting = {
      cid: CID.decode(Uint8Array.from(piece.bytes.subarray(piece.used, tail))),
      levels: piece.bytes.readDoubleLE(tail + 4),
      isNew: piece.bytes.readUInt8(tail + 12) === 1
    }

    if (piece.used === 0) {
      this.#pieces.pop()
    }

    return waiting
  }
}
