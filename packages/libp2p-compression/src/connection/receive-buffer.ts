import { Uint8ArrayList } from 'uint8arraylist'

/** Pieces shorter than this are copied together, into blocks of that many bytes. */
const MIN_PIECE_SIZE = 1024
const BLOCK_SIZE = 4096

/**
 * What came and was not worked on yet. A list of very many pieces takes longer for each
 * that is read from it, and how short the pieces are is up to the other side: so it
 * holds few, however they come.
 */
export class ReceiveBuffer {
  readonly #list = new Uint8ArrayList()
  #block = new Uint8Array(0)
  /** What of the block is not in the list yet. What is may have been handed out. */
  #start = 0
  #end = 0

  get byteLength (): number {
    return this.#list.byteLength + this.#end - this.#start
  }

  append (bytes: Uint8Array | Uint8ArrayList): void {
    for (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
      if (piece.byteLength < MIN_PIECE_SIZE) {
        this.#gather(piece)
      } else {
        this.#flush()
        this.#list.append(piece)
      }
    }
  }

  /** All of it, to be read before the next call: not to be called for nothing, since a piece ends here. */
  peek (): Uint8ArrayList {
    this.#flush()

    return this.#list
  }

  /** The first bytes, which are no longer in it. */
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

  #gather (piece: Uint8Array): void {
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
