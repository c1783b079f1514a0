import { SENT_STORED_SIZE } from '../constants.ts'
import { Receiver } from './receiver.ts'
import { Sender } from './sender.ts'
import type { StreamCodec } from '../codecs/stream-codec.ts'
import type { Traffic } from '../traffic.ts'
import type { MessageStream, Stream } from '@libp2p/interface'
import type { AbstractMessageStream, MessageStreamInit } from '@libp2p/utils'

/** How this side compresses, and what it can decompress. */
export interface CompressionInit {
  codec: StreamCodec
  level: number
  codecs: ReadonlyMap<number, StreamCodec>
  traffic: Traffic
}

/** The inner stream or connection. Connections have `remoteWriteStatus` too, although their type lacks it. */
type Inner = MessageStream & Partial<Pick<Stream, 'remoteWriteStatus'>>

/**
 * Connects both directions of an inner stream to a {@link Sender} and a {@link Receiver}, and tells the outer stream or
 * connection what happens.
 */
export class Duplex {
  readonly sender: Sender
  readonly receiver: Receiver
  readonly #outer: AbstractMessageStream
  #remoteClosedWrite = false
  #closed = false

  constructor (inner: Inner, outer: AbstractMessageStream, { codec, level, codecs, traffic }: CompressionInit) {
    const onError = (err: Error): void => { outer.abort(err) }

    this.#outer = outer
    this.sender = new Sender({
      inner,
      codec,
      level,
      traffic,
      onDrain: () => { outer.safeDispatchEvent('drain') },
      onError
    })
    this.receiver = new Receiver({
      inner,
      codecs,
      traffic,
      onData: bytes => { outer.onData(bytes) },
      onEnd: () => {
        // both may have happened while the last bytes were decompressed
        if (this.#remoteClosedWrite) {
          outer.onRemoteCloseWrite()
        }

        if (this.#closed) {
          outer.onTransportClosed()
        }
      },
      onError
    })

    inner.addEventListener('message', ({ data }) => { this.receiver.push(data) })
    inner.addEventListener('drain', () => { this.sender.resume() })
    inner.addEventListener('remoteCloseWrite', () => { this.#onRemoteCloseWrite() })
    inner.addEventListener('close', ({ error, local }) => { this.#onClose(error, local) })

    // the stream may have ended during negotiation, and emits no second event. Buffered messages are delivered first
    if (inner.remoteWriteStatus === 'closed' || inner.status !== 'open') {
      queueMicrotask(() => { this.#catchUp(inner) })
    }
  }

  stop (): void {
    this.sender.stop()
    this.receiver.stop()
  }

  #catchUp ({ status, remoteWriteStatus }: Inner): void {
    if (status === 'reset' || status === 'aborted') {
      this.stop()
      this.#reset()
      return
    }

    if (remoteWriteStatus === 'closed') {
      this.#onRemoteCloseWrite()
    }

    if (status === 'closed') {
      this.#onClose()
    }
  }

  #onRemoteCloseWrite (): void {
    this.#remoteClosedWrite = true
    this.receiver.end()
  }

  #onClose (error?: Error, local?: boolean): void {
    this.#closed = true
    this.sender.stop()

    if (error == null) {
      this.#end()
      return
    }

    this.receiver.stop()

    if (local === true) {
      this.#outer.abort(error)
    } else {
      this.#reset()
    }
  }

  #reset (): void {
    if (isOpen(this.#outer)) {
      this.#outer.onRemoteReset()
    }
  }

  #end (): void {
    if (this.receiver.finished) {
      this.#outer.onTransportClosed()
    } else {
      this.receiver.end()
    }
  }
}

/** Whether a stream or connection is neither closed nor broken. */
export function isOpen ({ status }: Pick<MessageStream, 'status'>): boolean {
  return status === 'open' || status === 'closing'
}

/** The limits of a stream or connection over another one. */
export function limitsOf (inner: MessageStream): MessageStreamInit {
  return {
    log: inner.log.newScope('compression'),
    direction: inner.direction,
    inactivityTimeout: inner.inactivityTimeout,
    maxReadBufferLength: inner.maxReadBufferLength,
    maxWriteBufferLength: inner.maxWriteBufferLength,
    maxMessageSize: SENT_STORED_SIZE
  }
}
