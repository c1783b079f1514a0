import { AbstractStream } from '@libp2p/utils'
import { MIN_INNER_BUFFER } from '../constants.ts'
import { Duplex, limitsOf } from './duplex.ts'
import type { CompressionInit } from './duplex.ts'
import type { AbortOptions, Stream } from '@libp2p/interface'
import type { SendResult } from '@libp2p/utils'
import type { Uint8ArrayList } from 'uint8arraylist'

/** A stream of one protocol over another one, which carries its bytes compressed. */
export class CompressedStream extends AbstractStream {
  readonly #inner: Stream
  readonly #duplex: Duplex

  /** @param protocol - the protocol that the handler sees, without compression */
  constructor (inner: Stream, protocol: string, init: CompressionInit) {
    super({ ...limitsOf(inner), id: inner.id, protocol })

    // paused, it still gets what the window of its muxer lets the other side send, and libp2p would abort it
    inner.maxReadBufferLength = Math.max(inner.maxReadBufferLength, MIN_INNER_BUFFER)
    this.#inner = inner
    this.#duplex = new Duplex(inner, this, init)
  }

  override sendData (bytes: Uint8ArrayList): SendResult {
    return { sentBytes: bytes.byteLength, canSendMore: this.#duplex.sender.send(bytes) }
  }

  override async sendCloseWrite (options?: AbortOptions): Promise<void> {
    await this.#duplex.sender.flushed(options)
    await this.#inner.close(options)
  }

  override async sendCloseRead (options?: AbortOptions): Promise<void> {
    await this.#inner.closeRead(options)
  }

  override sendReset (err: Error): void {
    this.#duplex.stop()
    this.#inner.abort(err)
  }

  override sendPause (): void {
    this.#duplex.receiver.pause()
  }

  override sendResume (): void {
    this.#duplex.receiver.resume()
  }
}
