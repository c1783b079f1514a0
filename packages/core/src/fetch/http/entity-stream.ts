// Above 250 lines: the steps of one response share its state, and nearly all of them change it.
import { askGateways } from './ask-gateways.ts'
import { DeliveredBlocks } from './delivered-blocks.ts'
import { CarStream } from './car-stream.ts'
import { costOf, EarlyBlocks } from './early-blocks.ts'
import { GatewayRefusedError, GatewaysFailedError } from './errors.ts'
import { MAX_FAILED_OPENS, MAX_STRAY_BYTES, SLOW_PART } from './limits.ts'
import { WantedBlocks } from './wanted-blocks.ts'
import type { CarBlock } from './car-stream.ts'
import type { EarlyBudget } from './early-blocks.ts'
import type { Gateway } from './gateway.ts'
import type { GatewaySettings } from './settings.ts'
import type { GatewayBlock, Want } from './want.ts'
import type { FilePart } from '../../dag/block.ts'
import type { CID } from 'multiformats/cid'

/** A request for a CAR. */
interface CarRequest {
  /** Relative to the URL of a gateway. */
  path: string
  /** The first block that it is for. */
  cid: CID
}

export interface EntityStreamInit {
  settings: GatewaySettings
  early: EarlyBudget
  first?: CarRequest | undefined
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
  readonly #wants = new WantedBlocks()
  readonly #early: EarlyBlocks
  #first: CarRequest | undefined
  /** The file whose blocks it brings, once that is known. */
  #file: string | undefined
  #car: CarStream | undefined
  #delivered = new DeliveredBlocks()
  #running = false
  #stopped = false
  /** How often in a row no gateway sent a CAR. */
  #failedOpens = 0
  /** The gateway to ask next, in place of a slow one. */
  #preferred: Gateway | undefined

  constructor (init: EntityStreamInit) {
    this.#init = init
    this.#first = init.first
    this.#early = new EarlyBlocks(init.early)
  }

  /** Whether nothing is waited for. */
  get isIdle (): boolean {
    return this.#wants.isEmpty
  }

  /** Whether a response is being read, or will be. */
  get isOpen (): boolean {
    return !this.#stopped && (this.#running || this.#car != null)
  }

  /** Whether a block of a file is one of its blocks. */
  accepts ({ file }: FilePart): boolean {
    return this.#file == null ? this.isOpen : this.#file === file.toString()
  }

  /** A block that has arrived before. */
  take (key: string): GatewayBlock | undefined {
    const block = this.#early.take(key)

    if (block != null) {
      this.#delivered.use()
      this.#run()
    }

    return block
  }

  ask (want: Want): void {
    this.#file ??= want.part?.file.toString()

    const isPassed = this.#car != null && this.#delivered.hasPassed(want)

    if (isPassed || this.#stopped || this.#failedOpens >= MAX_FAILED_OPENS) {
      this.#init.fetchAlone(want)
      return
    }

    this.#wants.add(want)
    this.#run()
  }

  /** Read no more. Blocks that have arrived can still be taken, and what is waited for is fetched without it. */
  stop (): void {
    this.#stopped = true
    this.#end()
    this.#wants.all().forEach(want => { this.#fetchAlone(want) })
  }

  /** Read no more, and drop everything. */
  close (): void {
    this.#wants.all().forEach(want => { want.reject(this.#init.signal.reason) })
    this.stop()
    this.#early.clear()
  }

  #run (): void {
    if (!this.#running) {
      // never rejects
      this.#read().catch(() => {})
    }
  }

  async #read (): Promise<void> {
    this.#running = true

    while (!this.#stopped && (!this.isIdle || (this.#car != null && !this.#early.isFull))) {
      try {
        const car = this.#car ??= await this.#open()
        // a response that came after `stop` ends here
        const block = this.#stopped ? undefined : await car?.next()

        if (car == null || block == null) {
          this.#miss()
        } else {
          this.#arrive(block, car)
        }
      } catch (err) {
        this.#fail(err as Error)
      }
    }

    // at once: a block that is asked for from here on starts it again
    this.#running = false
  }

  /** Ask for the blocks from the first one on that is waited for. Undefined: a CAR would not bring any. */
  async #open (): Promise<CarStream | undefined> {
    const { settings, signal } = this.#init
    const request = this.#first ?? this.#request()
    const first = this.#preferred

    this.#first = undefined
    this.#preferred = undefined
    this.#delivered = new DeliveredBlocks()

    if (request == null) {
      return undefined
    }

    const { value: car } = await askGateways(
      async (gateway, stop) => CarStream.open(gateway, request.path, stop, settings),
      { cid: request.cid, settings, first, signal }
    )

    car.onBytes = () => { this.#checkSpeed(car) }

    return car
  }

  #request (): CarRequest | undefined {
    const want = this.#wants.first()

    if (want == null) {
      return undefined
    }

    const { cid, part: { file, start, end } } = want

    return { path: `ipfs/${file}?format=car&dag-scope=entity&entity-bytes=${start}:${end - 1}`, cid }
  }

  #arrive ({ key, bytes }: CarBlock, { gateway }: CarStream): void {
    const want = this.#wants.take(key)
    const isNew = this.#delivered.add(key)
    const block = { bytes, verified: true, sender: gateway.url } as const

    if (want == null) {
      this.#early.add(key, block)
      // while nobody waits, it has come early
      this.#delivered.addStray(isNew && this.isIdle ? 0 : costOf(bytes))
    } else {
      this.#delivered.use(want.part?.start)
      this.#failedOpens = 0
      this.#init.settings.succeeded(gateway)
      want.resolve(block)
    }

    for (const want of this.#wants.unplaced()) {
      want.passed += costOf(bytes)

      // what belongs to no file that is read may not be on its way at all
      if (want.passed > MAX_STRAY_BYTES) {
        this.#fetchAlone(want)
      }
    }

    if (this.#delivered.isAstray) {
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

    if (waited < settings.stallTimeout * SLOW_PART || this.isIdle) {
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
    const { isUseless } = this.#delivered
    const first = this.#wants.first()

    this.#end()
    this.#wants.unplaced().forEach(want => { this.#fetchAlone(want) })

    // the next response would end there too
    if (isUseless && first != null) {
      this.#fetchAlone(first)
    }
  }

  #fail (err: Error): void {
    const { settings } = this.#init
    const gateway = this.#car?.gateway

    if (this.#stopped) {
      this.#end()
    } else if (err instanceof ReplacedError) {
      this.#end()
    } else if (gateway == null) {
      // no gateway sends a CAR of it: those that are there may send its blocks
      this.#failedOpens++
      const isThere = err instanceof GatewaysFailedError && err.failures.some(isRefusal)

      for (const want of this.#wants.all()) {
        if (isThere) {
          this.#fetchAlone(want)
        } else {
          want.reject(err)
        }
      }
    } else {
      settings.failed(gateway, err)
      this.#miss()
    }
  }

  #fetchAlone (want: Want): void {
    this.#wants.delete(want)
    this.#init.fetchAlone(want)
  }

  #end (): void {
    this.#car?.close()
    this.#car = undefined
  }
}

function isRefusal ({ name }: Error): boolean {
  return name === GatewayRefusedError.name
}
