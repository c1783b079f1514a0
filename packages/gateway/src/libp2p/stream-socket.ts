import { Duplex } from 'node:stream'
import { callbackify } from 'node:util'
import type { Stream } from '@libp2p/interface'

/**
 * A stream of libp2p as a socket for Node's HTTP server, which takes any duplex in its place. Neither side is read
 * faster than the other takes it. (That of `@libp2p/http` never pauses a stream, and ends a response that broke off as
 * if it were whole.)
 */
export class StreamSocket extends Duplex {
  /** The id of the peer: limits for each address are limits for each peer. */
  readonly remoteAddress: string
  readonly #stream: Stream
  #idleTime = 0
  #idleTimer: NodeJS.Timeout | undefined

  constructor (stream: Stream, peerId: string) {
    super({ allowHalfOpen: true })
    this.#stream = stream
    this.remoteAddress = peerId

    stream.addEventListener('message', ({ data }) => {
      this.#touch()

      if (!this.push(data.subarray()) && stream.readStatus === 'readable') {
        stream.pause()
      }
    })
    stream.addEventListener('end', () => {
      // a stream that is reset ends, too, and then closes with an error
      if (!['aborted', 'reset'].includes(stream.status)) {
        this.push(null)
      }
    })
    stream.addEventListener('close', ({ error }) => {
      if (error != null) {
        this.destroy(error)
      }
    })
  }

  /** As of a socket: emit `timeout` when nothing was sent or received for so long, in milliseconds. */
  setTimeout (time: number): this {
    this.#idleTime = time
    this.#touch()

    return this
  }

  /** As of a socket: end it, and destroy it once all is sent. */
  destroySoon (): void {
    this.end(() => { this.destroy() })
  }

  /** As of a socket: break it off, so that the peer sees it. */
  resetAndDestroy (): void {
    this.#stream.abort(new Error('the response ended early'))
    this.destroy()
  }

  override _read (): void {
    if (this.#stream.readStatus === 'paused') {
      this.#stream.resume()
    }
  }

  override _write (chunk: Uint8Array, _: BufferEncoding, callback: (err?: Error | null) => void): void {
    const stream = this.#stream
    this.#touch()

    try {
      if (stream.send(chunk)) {
        callback()
        return
      }
    } catch (err) {
      callback(err as Error)
      return
    }

    const done = (err?: Error): void => {
      stream.removeEventListener('drain', onDrain)
      stream.removeEventListener('close', onClose)
      this.#touch()
      callback(err)
    }
    const onDrain = (): void => { done() }
    const onClose = (): void => { done(new Error('the stream was closed')) }

    stream.addEventListener('drain', onDrain)
    stream.addEventListener('close', onClose)
  }

  override _final (callback: (err?: Error | null) => void): void {
    callbackify(async () => this.#stream.close())(callback)
  }

  override _destroy (err: Error | null, callback: (err?: Error | null) => void): void {
    clearTimeout(this.#idleTimer)

    if (err != null || !this.writableFinished) {
      this.#stream.abort(err ?? new Error('the socket was destroyed'))
    } else {
      // what the peer still sends is dropped
      void this.#closeRead()
    }

    // nobody listens for the errors of a stream that a peer reset
    callback()
  }

  async #closeRead (): Promise<void> {
    await this.#stream.closeRead().catch(() => {})
  }

  #touch (): void {
    clearTimeout(this.#idleTimer)

    if (this.#idleTime > 0 && !this.destroyed) {
      this.#idleTimer = setTimeout(() => { this.emit('timeout') }, this.#idleTime).unref()
    }
  }
}
