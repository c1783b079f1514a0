import * as raw from 'multiformats/codecs/raw'
import { askGateways } from './ask-gateways.ts'
import { BodyReader } from './body-reader.ts'
import { GatewayConnectionError } from './errors.ts'
import { openResponse } from './open-response.ts'
import { readCar } from './read-car.ts'
import type { Gateway } from './gateway.ts'
import type { CarBlock } from './read-car.ts'
import type { GatewaySettings } from './settings.ts'
import type { Part, Piece } from './shares.ts'
import type { FilePart } from '../../dag/block.ts'
import type { CID } from 'multiformats/cid'

/** Depth first, as it is read, and each block once (IPIP-412). */
const CAR = 'application/vnd.ipld.car; version=1; order=dfs; dups=n'

/** A response that has begun. */
interface Car {
  gateway: Gateway
  body: BodyReader
  /** Until it is taken. */
  first: CarBlock | undefined
  others: AsyncGenerator<CarBlock, undefined>
  /** Ends the response. */
  stop: AbortController
}

export interface PieceStreamInit extends Piece {
  /** What to ask for, relative to the URL of a gateway. */
  path: string
  /** The first block that it is for. */
  cid: CID
  /** The gateway to ask. Undefined: whichever answers first. */
  gateway?: Gateway | undefined
  settings: GatewaySettings
}

/** One request for a CAR, and its response: it brings a piece of a file, or what one path leads to. */
export class PieceStream implements Part<Gateway> {
  /** Where it ends (exclusive). Less than it was asked for: another one brings the rest, or that is here. */
  end: number
  reached: number
  /** Whether it brings what a path leads to, and not a range of a file. */
  readonly isPlanned: boolean
  /** Whether blocks are being read, or waited for. */
  isReading = false
  isClosed = false
  /** Whether it has brought a block that was asked for. */
  isUsed = false
  /** Bytes of blocks that nobody asked for, since the last block that was asked for. */
  stray = 0
  readonly #init: PieceStreamInit
  readonly #stop = new AbortController()
  readonly #created = performance.now()
  #car: Car | undefined
  /** That of the last block that was asked for. */
  #part: FilePart | undefined
  /** The largest offset at which a block began that was asked for. */
  #position: number | undefined

  constructor (init: PieceStreamInit) {
    this.#init = init
    this.isPlanned = init.end === Number.POSITIVE_INFINITY
    this.end = init.end
    this.reached = init.start
  }

  get gateway (): Gateway | undefined {
    return this.#car?.gateway ?? this.#init.gateway
  }

  /** Where that begins which it may still bring. */
  get start (): number {
    return this.#position == null ? this.#init.start : this.#position + 1
  }

  get brought (): Piece {
    return { start: this.#init.start, end: Math.min(this.reached, this.end) }
  }

  get rate (): number | undefined {
    return this.#car?.body.rate
  }

  /** How long its reader has waited for bytes, in milliseconds. */
  get waited (): number {
    return this.#car?.body.waited ?? 0
  }

  get isSilent (): boolean {
    const silence = this.#car?.body.silence ?? performance.now() - this.#created

    return this.isReading && silence >= this.#init.settings.hedgeTime
  }

  /** Whether a response has begun. */
  get hasAnswered (): boolean {
    return this.#car != null
  }

  /** Whether it goes on, but has brought all up to its end, or up to what is here. */
  get isDone (): boolean {
    const end = Math.min(this.end, this.#part?.here ?? this.end)

    return end < this.#init.end && (this.reached >= end || this.start > end)
  }

  /**
   * The next block. Undefined: there are no more.
   *
   * @throws {GatewaysFailedError} no gateway sends it
   * @throws {Error} as `openResponse` and `readCar`
   */
  async next (): Promise<CarBlock | undefined> {
    const car = this.#car ??= await this.#open()
    const { first = (await car.others.next()).value } = car
    car.first = undefined

    return first
  }

  /** Whether it has passed what begins at an offset, or has brought nothing and should have begun with it. */
  hasSkipped (offset: number): boolean {
    const { start } = this.#init

    return this.#position == null ? !this.isPlanned && offset === start : offset >= start && offset <= this.#position
  }

  /** Record that it brought a block. */
  deliver ({ bytes, code }: CarBlock): void {
    this.reached += code === raw.code ? bytes.byteLength : 0
  }

  /** Record that a block of it was asked for: at this place in the file, if that is known. */
  use (part: FilePart | undefined, length: number): void {
    this.isUsed = true
    this.stray = 0

    if (part != null) {
      this.#part = part
      this.#position = Math.max(this.#position ?? 0, part.start)
      this.reached = Math.max(this.reached, part.start + length)
    }
  }

  close (): void {
    this.isClosed = true
    const { gateway, rate, waited } = this

    if (gateway != null) {
      gateway.rate = rate ?? gateway.rate
      gateway.waited += waited
    }

    this.#stop.abort()
    this.#car?.stop.abort()
  }

  async #open (): Promise<Car> {
    const { cid, gateway, settings } = this.#init
    const stop = this.#stop
    const car = gateway == null
      ? (await askGateways(async (...args) => this.#ask(...args), { cid, settings, signal: stop.signal })).value
      : await this.#ask(gateway, stop)

    if (this.isClosed) {
      car.stop.abort()
      stop.signal.throwIfAborted()
    }

    return car
  }

  /** Ask a gateway, and wait for its first block. */
  async #ask (gateway: Gateway, stop: AbortController): Promise<Car> {
    const { path, settings: { fetch, stallTimeout } } = this.#init
    const asked = performance.now()
    const request = { fetch, stallTimeout, signal: stop.signal }
    const body = new BodyReader(gateway.url, await openResponse(gateway.url, path, CAR, request), request)
    const others = readCar(gateway.url, body)
    const { value: first } = await others.next()

    if (first == null) {
      throw new GatewayConnectionError(gateway.url, 'sent a CAR without blocks')
    }

    gateway.latency = performance.now() - asked

    return { gateway, body, first, others, stop }
  }
}
