import { Receiver } from './receiver.ts'
import { Sender } from './sender.ts'
import type { StreamCodec } from '../codecs/stream-codec.ts'
import type { Traffic } from '../traffic.ts'
import type { MessageStream, Stream } from '@libp2p/interface'
import type { Uint8ArrayList } from 'uint8arraylist'

/** How this side compresses, and what it can decompress. */
export interface CompressionInit {
  codec: StreamCodec
  level: number
  codecs: ReadonlyMap<number, StreamCodec>
  traffic: Traffic
}

/** Callbacks for events of the inner stream. */
interface DuplexEvents {
  onData: (bytes: Uint8ArrayList) => void
  onDrain: () => void
  onRemoteCloseWrite: () => void
  /** The stream ended without an error, and all received bytes have been passed on. */
  onClosed: () => void
  onReset: () => void
  /** Compressing or decompressing failed, or this side aborted the stream. */
  onError: (err: Error) => void
}

/** The inner stream or connection. Connections have `remoteWriteStatus` too, although their type lacks it. */
type Inner = MessageStream & Partial<Pick<Stream, 'remoteWriteStatus'>>

/** Connects both directions of an inner stream to a {@link Sender} and a {@link Receiver}. */
export class Duplex {
  readonly sender: Sender
  readonly receiver: Receiver
  #remoteClosedWrite = false
  #closed = false

  constructor (inner: Inner, { codec, level, codecs, traffic }: CompressionInit, events: DuplexEvents) {
    this.sender = new Sender({ inner, codec, level, traffic, onDrain: events.onDrain, onError: events.onError })
    this.receiver = new Receiver({
      inner,
      codecs,
      traffic,
      onData: events.onData,
      onEnd: () => {
        // both may have happened while the last bytes were decompressed
        if (this.#remoteClosedWrite) {
          events.onRemoteCloseWrite()
        }

        if (this.#closed) {
          events.onClosed()
        }
      },
      onError: events.onError
    })

    inner.addEventListener('message', ({ data }) => { this.receiver.push(data) })
    inner.addEventListener('drain', () => { this.sender.resume() })
    inner.addEventListener('remoteCloseWrite', () => { this.#onRemoteCloseWrite() })
    inner.addEventListener('close', ({ error, local }) => { this.#onClose(events, error, local) })

    // the stream may have ended during negotiation, and emits no second event. Buffered messages are delivered first
    if (inner.remoteWriteStatus === 'closed' || inner.status !== 'open') {
      queueMicrotask(() => { this.#catchUp(inner, events) })
    }
  }

  stop (): void {
    this.sender.stop()
    this.receiver.stop()
  }

  #catchUp ({ status, remoteWriteStatus }: Inner, events: DuplexEvents): void {
    if (status === 'reset' || status === 'aborted') {
      this.stop()
      events.onReset()
      return
    }

    if (remoteWriteStatus === 'closed') {
      this.#onRemoteCloseWrite()
    }

    if (status === 'closed') {
      this.#onClose(events)
    }
  }

  #onRemoteCloseWrite (): void {
    this.#remoteClosedWrite = true
    this.receiver.end()
  }

  #onClose (events: DuplexEvents, error?: Error, local?: boolean): void {
    this.#closed = true
    this.sender.stop()

    if (error == null) {
      this.#end(events)
      return
    }

    this.receiver.stop()

    if (local === true) {
      events.onError(error)
    } else {
      events.onReset()
    }
  }

  #end (events: DuplexEvents): void {
    if (this.receiver.finished) {
      events.onClosed()
    } else {
      this.receiver.end()
    }
  }
}
