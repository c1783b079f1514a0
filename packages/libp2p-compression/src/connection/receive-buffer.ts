import { Uint8ArrayList } from 'uint8arraylist'

/** Shorter pieces are copied into blocks of BLOCK_SIZE bytes. */
const MIN_PIECE_SIZE = 1024
const BLOCK_SIZE = 4096

/**
 * Buffers received bytes. Reads from a Uint8ArrayList get slower with the number of its
 * pieces, and the other side decides how short they are, so this merges short ones.
 */
export class ReceiveBuffer {
  readonly #list = new Uint8ArrayList()
  #block = new Uint8Array(0)
  /** The part of the block that is not in the list yet. The rest may be in use already. */
  #start = 0
  #end = 0

  get byteLength (): number {
    return this.#list.byteLength + this.#end - this.#start
  }

  append (bytes: Uint8Array | Uint8ArrayList): void {
    for (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
      if (piece.byteLength < MIN_PIECE_SIZE) {
        this.#copy(piece)
      } else {
        this.#flush()
        this.#list.append(piece)
      }
    }
  }

  /** All bytes. Valid until the next call. Each call may end a block, so call it only if needed. */
  peek (): Uint8ArrayList {
    this.#flush()

    return this.#list
  }

  /** Remove and return the first bytes. */
  take (length: number): Uint8ArrayList {
    this.#flush()
    const bytes = this.#list.sublist(0, length)
    this.#list.consume(length)

    return bytes
  }

  consume (length: number): void {
    this.#flush()
    this.#list.consume(length)
  }

  #copy (piece: Uint8Array): void {
    if (this.#end + piece.byteLength > this.#block.byteLength) {
      this.#flush()
      this.#block = new Uint8Array(BLOCK_SIZE)
      this.#start = 0
      this.#end = 0
    }

    this.#block.set(piece, this.#end)
    this.#end += piece.byteLength
  }

  #flush (): void {
    if (this.#end > this.#start) {
      this.#list.append(this.#block.subarray(this.#start, this.#end))
      this.#start = this.#end
    }
  }
}
