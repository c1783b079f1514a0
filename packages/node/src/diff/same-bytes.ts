/** Whether two streams yield the same bytes. Holds one piece of each, and stops at the first difference. */
export async function sameBytes (
  a: AsyncIterable<Uint8Array>,
  b: AsyncIterable<Uint8Array>,
  signal: AbortSignal
): Promise<boolean> {
  const [left, right] = [new Pieces(a), new Pieces(b)]

  try {
    for (;;) {
      signal.throwIfAborted()
      await Promise.all([left.fill(), right.fill()])
      const length = Math.min(left.piece.byteLength, right.piece.byteLength)

      if (length === 0) {
        return left.piece.byteLength === right.piece.byteLength
      }

      if (Buffer.compare(left.take(length), right.take(length)) !== 0) {
        return false
      }
    }
  } finally {
    await Promise.all([left.close(), right.close()])
  }
}

/** A stream whose pieces are taken in parts. */
class Pieces {
  readonly #iterator: AsyncIterator<Uint8Array>
  piece: Uint8Array = new Uint8Array(0)

  constructor (source: AsyncIterable<Uint8Array>) {
    this.#iterator = source[Symbol.asyncIterator]()
  }

  /** Wait for bytes if there are none. Without any, the stream has ended. */
  async fill (): Promise<void> {
    while (this.piece.byteLength === 0) {
      const { done, value } = await this.#iterator.next()

      if (done === true) {
        return
      }

      this.piece = value
    }
  }

  take (length: number): Uint8Array {
    const part = this.piece.subarray(0, length)
    this.piece = this.piece.subarray(length)

    return part
  }

  async close (): Promise<void> {
    await this.#iterator.return?.()
  }
}
