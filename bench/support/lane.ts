import { freeBytes } from '@ipfsz/utils/free-bytes'
import type { TokenBucket } from './token-bucket.ts'
import type { Socket } from 'node:net'

/** Bytes that may queue, as in a router, or what the link sends in QUEUE_TIME ms if that is more. */
const QUEUE = 256 * 1024
const QUEUE_TIME = 10

/** The smallest piece that is delivered by itself: one Ethernet packet. */
const PACKET = 1500

/**
 * Timers are late by up to 2 ms, which matters to a short delay. With few bytes in flight, the
 * rest of the delay is spent spinning the event loop. With many, spinning would take CPU time
 * from sender and receiver, and a millisecond matters little.
 */
const TIMER_ERROR = 2
const FEW = 64 * 1024

interface Piece {
  /** Undefined at the end of the stream. */
  bytes?: Buffer
  /** The chunk that ends with it. */
  chunk?: Buffer | undefined
  /** When it arrives, in milliseconds. */
  due: number
}

/**
 * One direction of one connection. Delivers what the source sends as the link's rate and
 * delay allow. It stops reading from the source when the link and the queue are full, so
 * a slow link or a destination that does not read slows the source down.
 */
export class Lane {
  /** Bytes that were written to the destination. */
  passed = 0
  /** Bytes that were read from the source and not written yet. */
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

  /** The most bytes that are held. The source's last chunk may exceed it. */
  get bound (): number {
    return Math.max(QUEUE, this.#bucket.rate * QUEUE_TIME) + this.#bucket.rate * this.#delay
  }

  /** Drop all bytes that are on their way. */
  stop (): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#turn)
    this.#pieces.length = 0
    this.held = 0
  }

  #take (chunk: Buffer): void {
    // bytes that the link sends within a millisecond are one piece
    const length = Math.max(PACKET, Math.floor(this.#bucket.rate))

    for (let start = 0; start < chunk.byteLength; start += length) {
      const bytes = chunk.subarray(start, start + length)
      const due = this.#bucket.take(bytes.byteLength) + this.#delay
      this.#pieces.push({ bytes, due, chunk: start + length < chunk.byteLength ? undefined : chunk })
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
      const { bytes, chunk } = this.#pieces.shift() as Piece

      if (bytes == null) {
        this.#destination.end()
      } else {
        this.passed += bytes.byteLength
        this.held -= bytes.byteLength
        this.#blocked = !this.#destination.write(bytes, err => {
          if (err == null && chunk != null) {
            // as garbage it took half of the processor time of the link, which shares its cores with both ends
            freeBytes(chunk)
          }
        })
      }
    }

    if (this.held < this.bound) {
      this.#source.resume()
    }

    this.#wait()
  }
}
