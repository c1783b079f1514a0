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

interface ReceiverInit {
  /** The source of frames. Paused while they come faster than they can be decompressed. */
  inner: Pick<MessageStream, 'pause' | 'resume'>
  /** By the frame types that they decompress. */
  codecs: ReadonlyMap<number, StreamCodec>
  traffic: Traffic
  onData: (bytes: Uint8ArrayList) => void
  /** Called after the last `onData`. */
  onEnd: () => void
  onError: (err: Error) => void
}

/** Decodes frames, in order. */
export class Receiver {
  readonly #init: ReceiverInit
  readonly #source: PausableSource
  readonly #input = new ReceiveBuffer()
  readonly #budget = new RatioBudget()
  readonly #decoders = new Map<number, Decoder>()
  #header: FrameHeader | undefined
  /** Missing bytes of the current stored frame. */
  #stored = 0
  #busy = false
  #paused = false
  #ended = false
  #stopped = false

  constructor (init: ReceiverInit) {
    this.#init = init
    this.#source = new PausableSource(init.inner)
  }

  /** Whether `onData` will not be called any more. */
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

  /** The source has ended. Only bytes that it has buffered still follow. */
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

  /** Drop all bytes that have not been passed on. */
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
    this.#onIdle()
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

  /** Called when no more bytes can be decoded for now. */
  #onIdle (): void {
    if (this.#stopped || this.#paused) {
      return
    }

    if (this.#input.byteLength < RECEIVE_LOW_WATER || this.#ended) {
      // calls push() at once if it has buffered bytes
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

  /** The next bytes to pass on, or undefined until more arrive. */
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

  /** Decode and check the next header. A bad frame is refused before its payload arrives. */
  #nextHeader (): FrameHeader | undefined {
    const header = this.#input.byteLength === 0 ? undefined : decodeHeader(this.#input.peek())

    if (header != null) {
      const { type, size, length, headerLength } = header

      if (type !== FRAME.stored && type !== FRAME.padding && !this.#init.codecs.has(type)) {
        throw new MalformedFrameError(type, 'unknown, or not supported on this platform')
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
      // #nextHeader refuses types without a codec
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
