// Room: a connection or stream that is compressed.
import { AbstractMessageStream } from '@libp2p/utils'
import { SENT_STORED_SIZE } from '../constants.ts'
import { Duplex } from './duplex.ts'
import { waitFor } from './wait-for.ts'
import type { CompressionInit } from './duplex.ts'
import type { AbortOptions, MessageStream } from '@libp2p/interface'
import type { SendResult } from '@libp2p/utils'
import type { Uint8ArrayList } from 'uint8arraylist'

/** A connection over another one, which carries its bytes compressed. */
export class CompressedConnection extends AbstractMessageStream {
  readonly #inner: MessageStream
  readonly #duplex: Duplex

  constructor (inner: MessageStream, init: CompressionInit) {
    super({
      log: inner.log.newScope('compression'),
      direction: inner.direction,
      inactivityTimeout: inner.inactivityTimeout,
      maxReadBufferLength: inner.maxReadBufferLength,
      maxWriteBufferLength: inner.maxWriteBufferLength,
      maxMessageSize: SENT_STORED_SIZE
    })

    this.#inner = inner
    this.#duplex = new Duplex(inner, init, {
      onData: bytes => { this.onData(bytes) },
      onDrain: () => { this.safeDispatchEvent('drain') },
      onRemoteCloseWrite: () => { this.onRemoteCloseWrite() },
      onClosed: () => { this.onTransportClosed() },
      onReset: () => {
        if (this.#isOpen()) {
          this.onRemoteReset()
        }
      },
      onError: err => { this.abort(err) }
    })
  }

  /** Resolves when all written bytes are sent to the inner connection, or cannot be sent any more. */
  async flush (options?: AbortOptions): Promise<void> {
    if (this.writeBuffer.byteLength > 0 && this.#isOpen()) {
      await waitFor(this, 'idle', options)
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

  #isOpen (): boolean {
    return this.status === 'open' || this.status === 'closing'
  }
}
