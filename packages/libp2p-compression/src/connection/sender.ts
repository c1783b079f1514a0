import { Uint8ArrayList } from 'uint8arraylist'
import { RatioBudget } from '../frames/budget.ts'
import { MAX_FRAME_SIZE, MIN_COMPRESSED_SIZE, SEND_HIGH_WATER, SEND_LOW_WATER, SENT_STORED_SIZE } from '../constants.ts'
import { encodeCompressedHeader, encodePadding, encodeStoredHeader } from '../frames/frame.ts'
import { Shrinkage } from '../frames/shrinkage.ts'
import type { Encoder, StreamCodec } from '../codecs/stream-codec.ts'
import type { Traffic } from '../traffic.ts'
import type { AbortOptions, MessageStream } from '@libp2p/interface'

export interface SenderInit {
  /** What takes the frames. */
  inner: MessageStream
  codec: StreamCodec
  level: number
  traffic: Traffic
  /** Writers that were told to wait may go on. */
  onDrain: () => void
  onError: (err: Error) => void
}

/** Headers of muxers are that short, in bytes. */
const MAX_JOINED_SIZE = 256

/**
 * Turns what is written into frames. What is written is worked on at once, and what is
 * written while that is compressed gathers to the next frame: nothing waits for more to
 * come, and the faster it comes, the more is flushed at one time.
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
    // the end of the connection is told when all that came has been handed out
    if (this.#stopped) {
      return true
    }

    this.#pending.append(bytes)
    this.resume()
    this.#full = this.#pending.byteLength >= SEND_HIGH_WATER

    return !this.#full
  }

  /** The stream that takes the frames may take more. */
  resume (): void {
    if (!this.#busy && !this.#stopped && this.#pending.byteLength > 0) {
      this.#run()
    }
  }

  /**
   * Settled when all that was written is in frames that were handed on, or never will be.
   *
   * @throws the signal's reason, when it is aborted
   */
  async flushed ({ signal }: AbortOptions = {}): Promise<void> {
    if (this.#stopped || (!this.#busy && this.#pending.byteLength === 0)) {
      return
    }

    signal?.throwIfAborted()

    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(settle)
        reject(signal?.reason as Error)
      }
      const settle = (): void => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }

      this.#waiting.add(settle)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** Nothing more can be handed on. */
  stop (): void {
    this.#stopped = true
    this.#pending.consume(this.#pending.byteLength)
    this.#encoder?.close()
    this.#settle()
  }

  /** What is stored goes on at once: a promise for each frame would be most of what that costs. */
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

        this.#handOn(frame)
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
        this.#handOn(frame)
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

  #handOn (frame: Uint8ArrayList): void {
    this.#init.inner.send(frame)

    if (this.#full && this.#pending.byteLength <= SEND_LOW_WATER) {
      this.#full = false
      this.#init.onDrain()
    }
  }

  /** What fails because it was stopped is nobody's error. */
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

    // a codec that refers back needs it on the other side as well, shrunk or not
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

/** Joined with what is short: the encryption beneath takes as long for a piece of 4 bytes as for one of some hundred. */
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
