import { raceSignal } from 'race-signal'
import { Uint8ArrayList } from 'uint8arraylist'
import { RatioBudget } from '../frames/budget.ts'
import { MAX_FRAME_SIZE, MIN_COMPRESSED_SIZE, SEND_HIGH_WATER, SEND_LOW_WATER, SENT_STORED_SIZE } from '../constants.ts'
import { encodeCompressedHeader, encodePadding, encodeStoredHeader } from '../frames/frame.ts'
import { Shrinkage } from '../frames/shrinkage.ts'
import type { Encoder, StreamCodec } from '../codecs/stream-codec.ts'
import type { Traffic } from '../traffic.ts'
import type { AbortOptions, MessageStream } from '@libp2p/interface'

interface SenderInit {
  /** Carries the frames. */
  inner: MessageStream
  codec: StreamCodec
  level: number
  traffic: Traffic
  /** Called when writers may go on after `send` returned false. */
  onDrain: () => void
  onError: (err: Error) => void
}

/** Headers of muxers are shorter than this, in bytes. */
const MAX_JOINED_SIZE = 256

/**
 * Encodes written bytes as frames. The first write is compressed at once. Writes during that
 * time are buffered for the next frame. So nothing waits for later writes, and the faster
 * they come, the larger the frames.
 */
export class Sender {
  readonly #init: SenderInit
  readonly #pending = new Uint8ArrayList()
  readonly #budget = new RatioBudget()
  readonly #shrinkage = new Shrinkage()
  #encoder: Encoder | undefined
  #busy = false
  #full = false
  #stopped = false
  readonly #waiting = new Set<() => void>()

  constructor (init: SenderInit) {
    this.#init = init
  }

  /** @returns whether more may be written before `onDrain` */
  send (bytes: Uint8ArrayList): boolean {
    // the end is reported once all received bytes have been passed on
    if (this.#stopped) {
      return true
    }

    this.#pending.append(bytes)
    this.resume()
    this.#full = this.#pending.byteLength >= SEND_HIGH_WATER

    return !this.#full
  }

  /** Go on: the inner stream can take more frames. */
  resume (): void {
    if (!this.#busy && !this.#stopped && this.#pending.byteLength > 0) {
      this.#run()
    }
  }

  /**
   * Resolves when all written bytes have been sent to the inner stream, or never can be.
   *
   * @throws the signal's reason if it is aborted
   */
  async flushed ({ signal }: AbortOptions = {}): Promise<void> {
    if (this.#stopped || (!this.#busy && this.#pending.byteLength === 0)) {
      return
    }

    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)

    try {
      await raceSignal(promise, signal)
    } finally {
      this.#waiting.delete(resolve)
    }
  }

  /** The inner stream takes no more frames. */
  stop (): void {
    this.#stopped = true
    this.#pending.consume(this.#pending.byteLength)
    this.#encoder?.close()
    this.#settle()
  }

  /** Sends stored frames synchronously: a promise each would be most of their cost. */
  #run (): void {
    const { inner } = this.#init
    this.#busy = true

    try {
      while (!this.#stopped && this.#pending.byteLength > 0 && !inner.writableNeedsDrain) {
        const frame = this.#next()

        if (frame instanceof Promise) {
          void this.#wait(frame)
          return
        }

        this.#forward(frame)
      }
    } catch (err) {
      this.#fail(err)
    }

    this.#busy = false

    if (this.#pending.byteLength === 0) {
      this.#settle()
    }
  }

  async #wait (promise: Promise<Uint8ArrayList>): Promise<void> {
    try {
      const frame = await promise

      if (!this.#stopped) {
        this.#forward(frame)
      }
    } catch (err) {
      this.#fail(err)
    }

    this.#run()
  }

  #next (): Uint8ArrayList | Promise<Uint8ArrayList> {
    const size = this.#pending.byteLength
    const isStored = size < MIN_COMPRESSED_SIZE || !this.#shrinkage.isWorthwhile(this.#pending)
    const bytes = this.#pending.sublist(0, Math.min(size, isStored ? SENT_STORED_SIZE : MAX_FRAME_SIZE))
    this.#pending.consume(bytes.byteLength)

    return isStored ? this.#store(bytes) : this.#compress(bytes)
  }

  #forward (frame: Uint8ArrayList): void {
    this.#init.inner.send(frame)

    if (this.#full && this.#pending.byteLength <= SEND_LOW_WATER) {
      this.#full = false
      this.#init.onDrain()
    }
  }

  /** Failures after `stop` are expected. */
  #fail (err: unknown): void {
    if (!this.#stopped) {
      this.stop()
      this.#init.onError(err as Error)
    }
  }

  #store (bytes: Uint8ArrayList): Uint8ArrayList {
    const size = bytes.byteLength
    this.#shrinkage.countStored(size)
    prependHeader(bytes, encodeStoredHeader(size))
    this.#count(bytes.byteLength, size)

    return bytes
  }

  async #compress (bytes: Uint8ArrayList): Promise<Uint8ArrayList> {
    const { codec, level } = this.#init
    const size = bytes.byteLength
    this.#encoder ??= codec.createEncoder(level)
    const pieces = await this.#encoder.encode(bytes.subarray())
    const length = pieces.reduce((length, { byteLength }) => length + byteLength, 0)
    this.#shrinkage.countCompressed(size, length)

    // later frames of other codecs refer to this one, so it has to be sent even if it did not shrink
    if (codec.independent && length >= size) {
      return this.#store(bytes)
    }

    const frame = new Uint8ArrayList(encodeCompressedHeader(codec.type, length, size), ...pieces)
    const padding = this.#budget.padding(frame.byteLength, size)

    if (padding > 0) {
      frame.prepend(encodePadding(padding))
      this.#count(padding, 0)
    }

    this.#count(frame.byteLength - padding, size)

    return frame
  }

  #count (wire: number, size: number): void {
    this.#budget.spend(wire, size)
    this.#init.traffic.count('sent', size, wire)
  }

  #settle (): void {
    for (const settle of this.#waiting) {
      settle()
    }

    this.#waiting.clear()
  }
}

/** Joins the header with a short first piece: encrypting 4 bytes alone takes as long as some hundred bytes. */
function prependHeader (bytes: Uint8ArrayList, header: Uint8Array): void {
  const [first] = bytes

  if (first.byteLength > MAX_JOINED_SIZE) {
    bytes.prepend(header)
    return
  }

  const joined = new Uint8Array(header.byteLength + first.byteLength)
  joined.set(header)
  joined.set(first, header.byteLength)
  bytes.consume(first.byteLength)
  bytes.prepend(joined)
}
