// Room: a connection or stream that is compressed.
import { AbstractMessageStream } from '@libp2p/utils'
import { raceSignal } from 'race-signal'
import { Duplex, isOpen, limitsOf } from './duplex.ts'
import type { CompressionInit } from './duplex.ts'
import type { AbortOptions, MessageStream } from '@libp2p/interface'
import type { SendResult } from '@libp2p/utils'
import type { Uint8ArrayList } from 'uint8arraylist'

/** A connection over another one, which carries its bytes compressed. */
export class CompressedConnection extends AbstractMessageStream {
  readonly #inner: MessageStream
  readonly #duplex: Duplex

  constructor (inner: MessageStream, init: CompressionInit) {
    super(limitsOf(inner))
    this.#inner = inner
    this.#duplex = new Duplex(inner, this, init)
  }

  /** Resolves when all written bytes are sent to the inner connection, or cannot be sent any more. */
  async flush (options?: AbortOptions): Promise<void> {
    if (this.writeBuffer.byteLength > 0 && isOpen(this)) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.addEventListener('idle', () => { resolve() }, { once: true })
      this.addEventListener('close', () => { resolve() }, { once: true })
      await raceSignal(promise, options?.signal)
    }

    await this.#duplex.sender.flushed(options)
  }

  async close (options?: AbortOptions): Promise<void> {
    if (this.status !== 'open') {
      return
    }

    this.status = 'closing'
    this.writeStatus = 'closing'
    await this.flush(options)
    await this.#inner.close(options)
    this.onTransportClosed()
  }

  override sendData (bytes: Uint8ArrayList): SendResult {
    return { sentBytes: bytes.byteLength, canSendMore: this.#duplex.sender.send(bytes) }
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
