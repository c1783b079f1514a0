export interface ChunkQueueInit {
  /** Once this many bytes wait, the sender is paused. */
  maxWaiting: number
  /** Called for each chunk from then on. */
  pause: () => void
  /** Called when fewer wait again. */
  resume: () => void
}

/** The chunks of a stream, from a sender that pushes them to a reader that takes them. */
export class ChunkQueue {
  readonly #init: ChunkQueueInit
  readonly #chunks: Uint8Array[] = []
  #waiting = 0
  #hasEnded = false
  #failure: Error | undefined
  #wake = (): void => {}

  constructor (init: ChunkQueueInit) {
    this.#init = init
  }

  push (chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#waiting += chunk.byteLength

    if (this.#waiting >= this.#init.maxWaiting) {
      this.#init.pause()
    }

    this.#wake()
  }

  /**
   * No more chunks follow. Only the first call counts.
   *
   * @param failure - thrown to the reader after the last chunk. Undefined: the stream is whole
   */
  end (failure?: Error): void {
    if (!this.#hasEnded) {
      this.#hasEnded = true
      this.#failure = failure
      this.#wake()
    }
  }

  /** Put back what was taken last, or the rest of it. */
  unread (chunk: Uint8Array): void {
    this.#chunks.unshift(chunk)
    this.#waiting += chunk.byteLength
  }

  /** The next chunk, if it waits. */
  take (): Uint8Array | undefined {
    const chunk = this.#chunks.shift()
    this.#waiting -= chunk?.byteLength ?? 0

    if (chunk != null && this.#waiting < this.#init.maxWaiting) {
      this.#init.resume()
    }

    return chunk
  }

  /**
   * The next chunk. Undefined: the stream has ended.
   *
   * @throws {Error} the stream failed
   */
  async next (): Promise<Uint8Array | undefined> {
    for (;;) {
      const chunk = this.take()

      if (chunk != null) {
        return chunk
      }

      if (this.#failure != null) {
        throw this.#failure
      }

      if (this.#hasEnded) {
        return undefined
      }

      await new Promise<void>(resolve => { this.#wake = resolve })
    }
  }
}
