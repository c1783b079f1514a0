import { askGateways } from './ask-gateways.ts'
import { CarStream } from './car-stream.ts'
import { costOf, EarlyBlocks } from './early-blocks.ts'
import { GatewayRefusedError, GatewaysFailedError } from './errors.ts'
import { MAX_DELIVERED, MAX_FAILED_OPENS, MAX_STRAY_BYTES, SLOW_AFTER } from './limits.ts'
import type { CarBlock } from './car-stream.ts'
import type { EarlyBudget } from './early-blocks.ts'
import type { Gateway } from './gateway.ts'
import type { GatewaySettings } from './settings.ts'
import type { SourceBlock, Want } from './want.ts'
import type { FilePart } from '../../dag/block.ts'
import type { CID } from 'multiformats/cid'

export interface EntityStreamInit {
  settings: GatewaySettings
  early: EarlyBudget
  /** The first request, as a path relative to the gateway, and the first block that it is for. */
  first?: { path: string, cid: CID } | undefined
  /** Fetches a block that the stream does not bring. */
  fetchAlone: (want: Want) => void
  signal: AbortSignal
}

/** Thrown to stop reading a slow response. */
class ReplacedError extends Error {
  override readonly name = 'ReplacedError'
}

/**
 * Brings the blocks of one file, or of what one path leads to, with one request for a CAR. The reader walks a file in
 * the order of the CAR, depth first, so blocks are handed over as they arrive. Those that come before they are asked
 * for wait, and once these take too much, no more is read from the response.
 *
 * A response that breaks off, stalls, or brings something else is replaced by one that begins at the first byte that is
 * waited for.
 */
export class EntityStream {
  readonly #init: EntityStreamInit
  readonly #wants = new Map<string, Want>()
  readonly #early: EarlyBlocks
  /** The keys of the last blocks that the response brought: it brings none of them twice. */
  readonly #delivered = new Set<string>()
  #first: EntityStreamInit['first']
  /** The file whose blocks it brings, once that is known. */
  #file: string | undefined
  #car: CarStream | undefined
  #running = false
  #closed = false
  /** How often in a row no gateway sent a CAR. */
  #failedOpens = 0
  /** The gateway to ask next, in place of a slow one. */
  #preferred: Gateway | undefined
  /** How many blocks of the response were asked for. */
  #useful = 0
  /** Bytes of blocks that were not asked for, while others are waited for. */
  #stray = 0
  /** Where in the file the last block began that the response brought. */
  #position = 0

  constructor (init: EntityStreamInit) {
    this.#init = init
    this.#first = init.first
    this.#early = new EarlyBlocks(init.early)
  }

  /** Whether nothing is waited for. */
  get isIdle (): boolean {
    return this.#waiting().length === 0
  }

  /** Whether a response is being read, or will be. */
  get isOpen (): boolean {
    return this.#running || this.#car != null
  }

  /** Whether a block of a file is one of its blocks. */
  accepts ({ file }: FilePart): boolean {
    return this.#file == null ? this.isOpen : this.#file === file.toString()
  }

  /** A block that has arrived before. */
  take (key: string): SourceBlock | undefined {
    const block = this.#early.take(key)

    if (block != null) {
      this.#useful++
      this.#run()
    }

    return block
  }

  ask (want: Want): void {
    const { part, key } = want

    this.#file ??= part?.file.toString()

    const isBehind = this.#car != null &&
      (this.#delivered.has(key) || (part != null && part.start < this.#position))

    if (isBehind || this.#failedOpens >= MAX_FAILED_OPENS) {
      this.#init.fetchAlone(want)
      return
    }

    this.#wants.set(key, want)
    this.#run()
  }

  close (): void {
    this.#closed = true
    this.#early.clear()
    this.#end()
  }

  #run (): void {
    if (!this.#running && !this.#closed) {
      this.#running = true
      // never rejects
      this.#read().finally(() => { this.#running = false })
    }
  }

  async #read (): Promise<void> {
    while (!this.#closed && this.#hasWork()) {
      try {
        const car = this.#car ??= await this.#open()
        const block = await car?.next()

        if (car == null || block == null) {
          this.#miss()
        } else {
          this.#arrive(block, car)
        }
      } catch (err) {
        this.#fail(err as Error)
      }
    }
  }

  #hasWork (): boolean {
    return !this.isIdle || (this.#car != null && !this.#early.isFull)
  }

  /** Ask for the blocks from the first one on that is waited for. Undefined: a CAR would not bring any. */
  async #open (): Promise<CarStream | undefined> {
    const { settings, signal } = this.#init
    const request = this.#request()

    this.#delivered.clear()
    this.#useful = 0
    this.#stray = 0
    this.#position = 0

    if (request == null) {
      return undefined
    }

    const first = this.#preferred
    this.#preferred = undefined

    const { value: car } = await askGateways(
      async (gateway, stop) => CarStream.open(gateway, request.path, stop, settings),
      { cid: request.cid, settings, first, signal }
    )

    car.onBytes = () => { this.#checkSpeed(car) }

    return car
  }

  #request (): EntityStreamInit['first'] {
    const first = this.#first
    this.#first = undefined

    if (first != null) {
      return first
    }

    const want = this.#lowest()

    return want?.part == null ? undefined : { path: partPath(want.part), cid: want.cid }
  }

  #arrive ({ key, bytes }: CarBlock, { gateway }: CarStream): void {
    const want = this.#wants.get(key)
    const isRepeated = this.#delivered.has(key)

    this.#remember(key)

    if (want?.isOpen !== true) {
      this.#early.add(key, { bytes, gateway: gateway.url })
      this.#pass(costOf(bytes), isRepeated || !this.isIdle)
      return
    }

    this.#wants.delete(key)
    this.#position = Math.max(this.#position, want.part?.start ?? 0)
    this.#useful++
    this.#stray = 0
    this.#failedOpens = 0
    this.#pass(costOf(bytes), false)
    this.#init.settings.succeeded(gateway)
    want.resolve({ bytes, gateway: gateway.url })
  }

  #remember (key: string): void {
    this.#delivered.add(key)

    if (this.#delivered.size > MAX_DELIVERED) {
      const [oldest] = this.#delivered
      this.#delivered.delete(oldest)
    }
  }

  /** Count bytes that have arrived. `isStray`: nobody asked for them, and it is not that they came early. */
  #pass (bytes: number, isStray: boolean): void {
    this.#stray += isStray ? bytes : 0

    for (const want of this.#waiting()) {
      want.passed += bytes

      // what belongs to no file that is read may not be on its way at all
      if (want.part == null && want.passed > MAX_STRAY_BYTES) {
        this.#fetchAlone(want)
      }
    }

    if (this.#stray > MAX_STRAY_BYTES) {
      this.#miss()
    }
  }

  /**
   * Compare the gateway with the others, if the reader waits for it.
   *
   * @throws {ReplacedError} another one is asked for the rest
   */
  #checkSpeed ({ gateway, waited, rate }: CarStream): void {
    const { settings } = this.#init

    if (waited < SLOW_AFTER || this.isIdle) {
      return
    }

    gateway.rate = rate
    const faster = settings.pool.faster(gateway, rate, gateway => settings.isExcluded(gateway))

    if (faster != null) {
      gateway.isSlow = true
      this.#preferred = faster
      throw new ReplacedError()
    }
  }

  /** The response has ended, or brings something else than what is waited for. */
  #miss (): void {
    const isUseless = this.#useful === 0

    this.#end()

    for (const want of this.#waiting()) {
      if (want.part == null) {
        this.#fetchAlone(want)
      }
    }

    const lowest = this.#lowest()

    if (isUseless && lowest != null) {
      this.#fetchAlone(lowest)
    }
  }

  #fail (err: Error): void {
    const { settings, signal } = this.#init
    const gateway = this.#car?.gateway

    if (signal.aborted || this.#closed) {
      this.#end()
      this.#waiting().forEach(want => { want.reject(signal.aborted ? signal.reason : err) })
      return
    }

    if (gateway == null) {
      // no gateway sends a CAR of it: those that are there may send its blocks
      this.#failedOpens++
      const isThere = err instanceof GatewaysFailedError && err.failures.some(isRefusal)
      this.#waiting().forEach(want => { isThere ? this.#fetchAlone(want) : want.reject(err) })
      return
    }

    if (err instanceof ReplacedError) {
      this.#end()
      return
    }

    settings.failed(gateway, err)
    this.#miss()
  }

  #fetchAlone (want: Want): void {
    this.#wants.delete(want.key)
    this.#init.fetchAlone(want)
  }

  #end (): void {
    this.#car?.close()
    this.#car = undefined
  }

  /** What is waited for. */
  #waiting (): Want[] {
    for (const want of this.#wants.values()) {
      if (!want.isOpen) {
        this.#wants.delete(want.key)
      }
    }

    return [...this.#wants.values()]
  }

  /** The want that comes first in the file. */
  #lowest (): Want | undefined {
    return this.#waiting()
      .filter(want => want.part != null)
      .toSorted((a, b) => (a.part?.start ?? 0) - (b.part?.start ?? 0))
      .at(0)
  }
}

function isRefusal ({ name }: Error): boolean {
  return name === GatewayRefusedError.name
}

/** The path of the CAR that has a range of a file. */
function partPath ({ file, start, end }: FilePart): string {
  return `ipfs/${file}?format=car&dag-scope=entity&entity-bytes=${start}:${end - 1}`
}
