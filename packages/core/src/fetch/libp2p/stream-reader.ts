import { MAX_READ_BUFFER, MAX_WAITING } from './limits.ts'
import type { Stream } from '@libp2p/interface'

/**
 * Reads a stream as fast as its chunks are taken: meanwhile it is paused, so that the peer stops sending. The iterator
 * of libp2p's own streams buffers all that arrives (docs/upstream.md).
 */
export class StreamReader {
  readonly #stream: Stream
  readonly #chunks: Uint8Array[] = []
  #waiting = 0
  #hasEnded = false
  #failure: Error | undefined
  #wake = (): void => {}

  constructor (stream: Stream) {
    this.#stream = stream
    this.#hasEnded = stream.readableEnded
    stream.maxReadBufferLength = Math.max(stream.maxReadBufferLength, MAX_READ_BUFFER)

    stream.addEventListener('message', ({ data }) => { this.#receive(data.subarray()) })
    stream.addEventListener('end', () => {
      // a stream that is reset ends, too, and then closes with an error
      if (!['aborted', 'reset'].includes(stream.status)) {
        this.#end()
      }
    })
    stream.addEventListener('close', ({ error }) => {
      this.#end(error ?? new Error('the connection was closed'))
    })
  }

  /**
   * The next bytes. Undefined: the peer has sent all.
   *
   * @throws {Error} the stream was reset or aborted, or its connection was closed
   */
  async next (): Promise<Uint8Array | undefined> {
    for (;;) {
      const chunk = this.#chunks.shift()

      if (chunk != null) {
        this.#waiting -= chunk.byteLength
        this.#resume()

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

  #receive (bytes: Uint8Array): void {
    this.#chunks.push(bytes)
    this.#waiting += bytes.byteLength

    if (this.#waiting >= MAX_WAITING && this.#stream.readStatus === 'readable') {
      this.#stream.pause()
    }

    this.#wake()
  }

  #resume (): void {
    if (this.#waiting < MAX_WAITING && this.#stream.readStatus === 'paused') {
      this.#stream.resume()
    }
  }

  /** @param failure - undefined: the peer has sent all */
  #end (failure?: Error): void {
    if (!this.#hasEnded) {
      this.#hasEnded = true
      this.#failure = failure
      this.#wake()
    }
  }
}
