import { CID } from 'multiformats/cid'

/** What waits lies in pieces of at least so many bytes, which are let go as it is taken. */
const PIECE_SIZE = 64 * 1024
/** Behind a CID: its length, how many levels below it are to be walked, and whether it is new. */
const TAIL_SIZE = 4 + 8 + 1

/** How many blocks are read at one time, where they have no more than so many bytes together, 32 MiB. */
const CONCURRENCY = 16
const MAX_SIZE = 32 * 1024 * 1024

/** A block that is to be visited. */
export interface Waiting {
  cid: CID
  /** How many levels below it are to be walked. */
  levels: number
  /** Whether it is reached for the first time. */
  isNew: boolean
}

interface Piece {
  bytes: Buffer
  used: number
}

/**
 * The blocks that a walk has found links to and has not visited, the last first. Each
 * takes 13 bytes and those of its CID: as an object it would take 400, and the nodes
 * that a stranger has made may have a link in every 40 bytes.
 */
export class WaitingBlocks {
  readonly #pieces: Piece[] = []
  /** Of the largest block so far: the next may be as large. */
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

  /** Those that are visited next, at one time, in the order in which they were pushed. */
  take (): Waiting[] {
    const count = Math.min(CONCURRENCY, Math.max(1, Math.floor(MAX_SIZE / this.#largest)))
    const taken: Waiting[] = []

    while (taken.length < count && !this.isEmpty) {
      taken.push(this.#pop())
    }

    return taken.toReversed()
  }

  /** A block of so many bytes was read. */
  noteSize (size: number): void {
    this.#largest = Math.max(this.#largest, size)
  }

  #pop (): Waiting {
    const piece = this.#pieces[this.#pieces.length - 1]
    const tail = piece.used - TAIL_SIZE
    const length = piece.bytes.readUInt32LE(tail)

    piece.used = tail - length

    // copied: whoever keeps the CID is not to keep the piece
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
