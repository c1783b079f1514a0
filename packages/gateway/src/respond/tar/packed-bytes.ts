// Room: archives of a file or a directory.

const NOTHING = Promise.resolve()

/**
 * What a packer makes of what is written to it. It queues that before the writing is over, and would let 8 MiB wait
 * for a client that does not read.
 */
export class PackedBytes {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #next: Promise<ReadableStreamReadResult<Uint8Array>> | undefined

  constructor (stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader()
  }

  /** Take all that is queued. Does not wait for more. */
  async * queued (): AsyncGenerator<Uint8Array> {
    for (;;) {
      this.#next ??= this.#reader.read()
      const read = await Promise.race([this.#next, NOTHING])

      if (read == null || read.done) {
        return
      }

      this.#next = undefined
      yield read.value
    }
  }

  close (): void {
    // nobody waits for it any more
    this.#next?.catch(() => {})
    this.#reader.cancel().catch(() => {})
  }
}
