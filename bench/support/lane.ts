import type { TokenBucket } from './token-bucket.ts'
import type { Socket } from 'node:net'

/** Bytes that may wait for their turn, as in the queue of a router, or what leaves in 10 ms where that is more. */
const QUEUE = 256 * 1024
const QUEUE_TIME = 10

/** The least bytes that are handed on by themselves, one packet of Ethernet. */
const PACKET = 1500

/**
 * Timers are late by up to 2 ms, which matters to a short delay. With few bytes in flight, the
 * rest of the delay is spent spinning the event loop. With many, spinning would take CPU time
 * from sender and receiver, and a millisecond matters little.
 */
const TIMER_ERROR = 2
const FEW = 64 * 1024

interface Piece {
  /** None is the end of the stream. */
  bytes?: Buffer
  /** When it arrives, in milliseconds. */
  due: number
}

/**
 * One direction of one connection: what the source sends gets to the destination when
 * the link's rate and delay allow. No more is taken from the source than is on its way
 * and in the queue, so a slow link or a destination that does not read holds it back.
 */
export class Lane {
  /** Bytes that were handed to the destination. */
  passed = 0
  /** Bytes that were taken from the source and are not passed. */
  held = 0
  readonly #source: Socket
  readonly #destination: Socket
  readonly #bucket: TokenBucket
  readonly #delay: number
  readonly #pieces: Piece[] = []
  #timer: NodeJS.Timeout | undefined
  #turn: NodeJS.Immediate | undefined
  #blocked = false

  /** @param delay - milliseconds */
  constructor (source: Socket, destination: Socket, bucket: TokenBucket, delay: number) {
    this.#source = source
    this.#destination = destination
    this.#bucket = bucket
    this.#delay = delay

    source.on('data', chunk => { this.#take(chunk) })
    source.on('end', () => {
      this.#pieces.push({ due: bucket.take(0) + delay })
      this.#wait()
    })
    destination.on('drain', () => {
      this.#blocked = false
      this.#deliver()
    })
  }

  /** The most bytes that are held, but for what the source's last chunk is above that. */
  get bound (): number {
    return Math.max(QUEUE, this.#bucket.rate * QUEUE_TIME) + this.#bucket.rate * this.#delay
  }

  /** Forget what is on its way. */
  stop (): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#turn)
    this.#pieces.length = 0
    this.held = 0
  }

  #take (chunk: Buffer): void {
    // what a millisecond takes arrives together
    const length = Math.max(PACKET, Math.floor(this.#bucket.rate))

    for (let start = 0; start < chunk.byteLength; start += length) {
      const bytes = chunk.subarray(start, start + length)
      this.#pieces.push({ bytes, due: this.#bucket.take(bytes.byteLength) + this.#delay })
    }

    this.held += chunk.byteLength

    if (this.held >= this.bound) {
      this.#source.pause()
    }

    this.#wait()
  }

  #wait (): void {
    const [head] = this.#pieces

    if (head == null || this.#blocked || this.#timer != null || this.#turn != null) {
      return
    }

    const rest = head.due - performance.now()

    if (rest > 0 && (rest > TIMER_ERROR || this.held > FEW)) {
      this.#timer = setTimeout(() => {
        this.#timer = undefined
        this.#deliver()
      }, Math.max(rest - TIMER_ERROR, 1))
    } else {
      this.#turn = setImmediate(() => {
        this.#turn = undefined
        this.#deliver()
      })
    }
  }

  #deliver (): void {
    const now = performance.now()

    while (!this.#blocked && this.#pieces.length > 0 && this.#pieces[0].due <= now) {
      const { bytes } = this.#pieces.shift() as Piece

      if (bytes == null) {
        this.#destination.end()
      } else {
        this.passed += bytes.byteLength
        this.held -= bytes.byteLength
        this.#blocked = !this.#destination.write(bytes)
      }
    }

    if (this.held < this.bound) {
      this.#source.resume()
    }

    this.#wait()
  }
}
