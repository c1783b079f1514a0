import { Uint8ArrayList } from 'uint8arraylist'
import { RatioBudget } from '../frames/budget.ts'
import { RECEIVE_HIGH_WATER, RECEIVE_LOW_WATER } from '../constants.ts'
import { MalformedFrameError, TruncatedFrameError } from '../errors.ts'
import { decodeHeader, FRAME } from '../frames/frame.ts'
import { PausableSource } from './pausable-source.ts'
import { ReceiveBuffer } from './receive-buffer.ts'
import type { FrameHeader } from '../frames/frame.ts'
import type { Decoder, StreamCodec } from '../codecs/stream-codec.ts'
import type { Traffic } from '../traffic.ts'
import type { MessageStream } from '@libp2p/interface'

export interface ReceiverInit {
  /** Where the frames come from: told to wait when they come too fast. */
  inner: Pick<MessageStream, 'pause' | 'resume'>
  /** What frames may be compressed with. */
  codecs: ReadonlyMap<number, StreamCodec>
  traffic: Traffic
  onData: (bytes: Uint8ArrayList) => void
  /** All that was sent has been handed out. */
  onEnd: () => void
  onError: (err: Error) => void
}

/** Turns frames back into what was written, one after another. */
export class Receiver {
  readonly #init: ReceiverInit
  readonly #source: PausableSource
  readonly #input = new ReceiveBuffer()
  readonly #budget = new RatioBudget()
  readonly #decoders = new Map<number, Decoder>()
  #header: FrameHeader | undefined
  /** How many bytes of a stored frame are still to come. */
  #stored = 0
  #busy = false
  #paused = false
  #ended = false
  #stopped = false

  constructor (init: ReceiverInit) {
    this.#init = init
    this.#source = new PausableSource(init.inner)
  }

  /** Nothing more will be handed out. */
  get finished (): boolean {
    return this.#stopped
  }

  push (bytes: Uint8Array | Uint8ArrayList): void {
    if (this.#stopped) {
      return
    }

    this.#input.append(bytes)
    this.#run()

    if (this.#input.byteLength > RECEIVE_HIGH_WATER) {
      this.#source.pause()
    }
  }

  /** Nothing more comes, but for what lies in the buffers of the stream that it comes from. */
  end (): void {
    this.#ended = true
    this.#run()
  }

  pause (): void {
    this.#paused = true
    this.#source.pause()
  }

  resume (): void {
    this.#paused = false
    this.#run()
  }

  /** What was not handed out yet is given up. */
  stop (): void {
    this.#stopped = true
    this.#input.consume(this.#input.byteLength)

    for (const decoder of this.#decoders.values()) {
      decoder.close()
    }
  }

  #run (): void {
    if (this.#busy) {
      return
    }

    this.#busy = true

    try {
      while (!this.#paused && !this.#stopped) {
        const bytes = this.#next()

        if (bytes == null) {
          break
        }

        if (bytes instanceof Promise) {
          void this.#wait(bytes)
          return
        }

        this.#init.onData(bytes)
      }
    } catch (err) {
      this.#fail(err)
    }

    this.#busy = false
    this.#rest()
  }

  async #wait (promise: Promise<Uint8Array[]>): Promise<void> {
    try {
      const pieces = await promise

      if (!this.#stopped) {
        this.#init.onData(new Uint8ArrayList(...pieces))
      }
    } catch (err) {
      this.#fail(err)
    }

    this.#busy = false
    this.#run()
  }

  /** Nothing is left that can be worked on now. */
  #rest (): void {
    if (this.#stopped || this.#paused) {
      return
    }

    if (this.#input.byteLength < RECEIVE_LOW_WATER || this.#ended) {
      // hands out at once what it has
      this.#source.resume()
    }

    if (this.#ended && !this.#busy && !this.#stopped) {
      this.#finish()
    }
  }

  #finish (): void {
    if (this.#input.byteLength > 0 || this.#header != null || this.#stored > 0) {
      const missing = this.#header == null ? this.#stored : this.#header.length - this.#input.byteLength
      this.#fail(new TruncatedFrameError(missing > 0 ? missing : undefined))
      return
    }

    this.stop()
    this.#init.onEnd()
  }

  /** What is to be handed out next, as far as it has come. */
  #next (): Uint8ArrayList | Promise<Uint8Array[]> | undefined {
    while (this.#stored === 0) {
      const header = this.#header ??= this.#nextHeader()

      if (header == null || (header.type !== FRAME.stored && this.#input.byteLength < header.length)) {
        return undefined
      }

      this.#header = undefined

      if (header.type === FRAME.stored) {
        this.#stored = header.length
      } else if (header.type === FRAME.padding) {
        this.#input.consume(header.length)
      } else {
        return this.#decode(header, this.#input.take(header.length))
      }
    }

    if (this.#input.byteLength === 0) {
      return undefined
    }

    const bytes = this.#input.take(Math.min(this.#stored, this.#input.byteLength))
    this.#stored -= bytes.byteLength

    return bytes
  }

  /** Before the rest of the frame has come, let alone was decompressed, it is refused. */
  #nextHeader (): FrameHeader | undefined {
    const header = this.#input.byteLength === 0 ? undefined : decodeHeader(this.#input.peek())

    if (header != null) {
      const { type, size, length, headerLength } = header

      if (type !== FRAME.stored && type !== FRAME.padding && !this.#init.codecs.has(type)) {
        throw new MalformedFrameError(type, 'there is no such type, or not here')
      }

      this.#budget.spend(headerLength + length, size)
      this.#input.consume(headerLength)
      this.#init.traffic.count('received', size, headerLength + length)
    }

    return header
  }

  #decode ({ type, size }: FrameHeader, bytes: Uint8ArrayList): Uint8ArrayList | Promise<Uint8Array[]> {
    let decoder = this.#decoders.get(type)

    if (decoder == null) {
      // the header was refused if there is none
      decoder = (this.#init.codecs.get(type) as StreamCodec).createDecoder()
      this.#decoders.set(type, decoder)
    }

    const pieces = decoder.decode(bytes.subarray(), size)

    return pieces instanceof Promise ? pieces : new Uint8ArrayList(...pieces)
  }

  #fail (err: unknown): void {
    if (!this.#stopped) {
      this.stop()
      this.#init.onError(err as Error)
    }
  }
}
