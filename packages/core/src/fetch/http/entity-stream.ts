import { STALL_CHECK_INTERVAL } from '../../constants.ts'
import { costOf, EarlyBlocks } from './early-blocks.ts'
import { GatewayRefusedError } from './errors.ts'
import { FileRequests } from './file-requests.ts'
import { MAX_FAILED_OPENS, MAX_STRAY_BYTES } from './limits.ts'
import { covers } from './shares.ts'
import { WantedBlocks } from './want.ts'
import type { EarlyBudget } from './early-blocks.ts'
import type { Gateway } from './gateway.ts'
import type { PieceStream, PieceStreamInit } from './piece-stream.ts'
import type { CarBlock } from './read-car.ts'
import type { GatewaySettings } from './settings.ts'
import type { GatewayBlock, Want } from './want.ts'
import type { FilePart } from '../../dag/block.ts'

export interface EntityStreamInit {
  settings: GatewaySettings
  early: EarlyBudget
  /** What is to be read, if that is not a range of a file. */
  first?: Pick<PieceStreamInit, 'cid' | 'path'> | undefined
  /** Fetches a block that the stream does not bring. */
  fetchAlone: (want: Want) => void
  signal: AbortSignal
}

/**
 * Brings the blocks of one file, or of what one path leads to, with requests for CARs. The reader walks a file in the
 * order of the CAR, depth first, so blocks are handed over as they arrive. Those that come before they are asked for
 * wait, and once these take too much, no more is read from responses that nobody waits for. `FileRequests` decides
 * what is asked for, and of whom.
 */
export class EntityStream {
  readonly #init: EntityStreamInit
  readonly #early: EarlyBlocks<PieceStream>
  readonly #wants: WantedBlocks
  readonly #requests: FileRequests
  #stopped = false
  #check: ReturnType<typeof setTimeout> | undefined

  constructor (init: EntityStreamInit) {
    this.#init = init
    this.#early = new EarlyBlocks(init.early)
    this.#wants = new WantedBlocks(init.fetchAlone)
    this.#requests = new FileRequests(init.settings, this.#wants)

    if (init.first != null) {
      this.#requests.begin({ ...init.first, start: 0, end: Number.POSITIVE_INFINITY })
    }
  }

  /** Whether nothing is waited for. */
  get isIdle (): boolean {
    return this.#wants.size === 0
  }

  /** Whether a response is being read, or will be. */
  get isOpen (): boolean {
    return !this.#stopped && this.#requests.open.length > 0
  }

  /** Whether a block of a file is one of its blocks. */
  accepts ({ file }: FilePart): boolean {
    return this.#requests.file == null ? this.isOpen : this.#requests.file === file.toString()
  }

  /** Whether a gateway sends it, or is to send it. */
  isSentBy (gateway: Gateway): boolean {
    return this.isOpen && this.#requests.of(gateway).length > 0
  }

  /** A block is here: a response ends where it begins. One that has brought nothing yet ends at once. */
  found ({ start }: FilePart): void {
    for (const piece of this.#requests.open.filter(piece => covers(piece, start))) {
      piece.end = start

      if (piece.brought.end <= piece.brought.start) {
        this.#requests.leave(piece)
      }
    }

    this.#schedule()
  }

  /** A block that has arrived before. */
  take (key: string, part: FilePart | undefined): GatewayBlock | undefined {
    const early = this.#early.take(key)

    if (early != null) {
      early.piece.use(part, 0)
      this.#schedule()
    }

    return early?.block
  }

  ask (want: Want): void {
    this.#requests.note(want)

    if (this.#requests.havePassed(want) || this.#stopped || this.#requests.failedOpens >= MAX_FAILED_OPENS) {
      this.#init.fetchAlone(want)
      return
    }

    this.#wants.set(want.key, want)
    want.signal.addEventListener('abort', () => { this.#forget(want) }, { once: true })
    this.#schedule()
  }

  /** Read no more. Blocks that have arrived can still be taken, and what is waited for is fetched without it. */
  stop (): void {
    this.#stopped = true
    clearTimeout(this.#check)
    this.#requests.open.forEach(piece => { this.#requests.end(piece) })
    this.#wants.forEach(want => { this.#wants.fetchAlone(want) })
  }

  /** Read no more, and drop everything. */
  close (): void {
    this.#wants.forEach(want => { want.reject(this.#init.signal.reason) })
    this.stop()
    this.#early.clear()
  }

  /**
   * A block has arrived or failed, or nobody waits for it. If it was the last one, it may have come from peers: end the
   * requests that were not answered. One for CARs alone goes on: the root came otherwise from the same peer, and what
   * is below it is wanted still.
   */
  #forget (want: Want): void {
    this.#wants.delete(want.key)

    if (want.isDropped && this.isIdle && !this.#init.settings.carsOnly) {
      this.#requests.open.filter(piece => !piece.hasAnswered).forEach(piece => { this.#requests.end(piece) })
    }
  }

  /** Ask for what no response brings, and read on from those that are waited for. */
  #schedule (): void {
    if (this.#stopped) {
      return
    }

    clearTimeout(this.#check)
    // they seem to bring something else than what is waited for, or nothing more
    for (const piece of this.#requests.open.filter(piece => piece.stray > MAX_STRAY_BYTES || piece.isDone)) {
      if (piece.isUsed || piece.isDone || piece.gateway == null) {
        this.#requests.leave(piece)
      } else {
        this.#requests.fail(piece, new GatewayRefusedError(piece.gateway.url, 200, 'sent unrequested blocks'))
      }
    }

    if (this.#requests.plan()) {
      this.#check = setTimeout(() => { this.#schedule() }, STALL_CHECK_INTERVAL)
    }

    for (const piece of this.#requests.open) {
      if (!piece.isReading && this.#mayRead(piece)) {
        // never rejects
        this.#read(piece).catch(() => {})
      }
    }
  }

  /** Whether to read on from a response. */
  #mayRead (piece: PieceStream): boolean {
    return this.#isAwaited(piece) || !this.#early.isFarAhead
  }

  /** Whether the next blocks of a response are waited for: not those that the reader only knows to come. */
  #isAwaited (piece: PieceStream): boolean {
    const { first } = this.#wants

    return (first != null && covers(piece, first.part.start)) || [...this.#wants.values()].some(({ part }) =>
      part == null ? piece.isPlanned : covers(piece, part.start) && part.start < piece.reached + MAX_STRAY_BYTES)
  }

  async #read (piece: PieceStream): Promise<void> {
    piece.isReading = true

    try {
      while (!piece.isClosed && this.#mayRead(piece)) {
        const block = await piece.next()

        if (piece.isClosed) {
          break
        }

        if (block == null) {
          this.#requests.leave(piece)
        } else {
          this.#arrive(block, piece)
        }
      }
    } catch (err) {
      this.#requests.fail(piece, err as Error)
    }

    // at once: a block that is asked for from here on starts it again
    piece.isReading = false
    this.#schedule()
  }

  #arrive (arrived: CarBlock, piece: PieceStream): void {
    const { key, bytes } = arrived
    const gateway = piece.gateway as Gateway
    const isNew = this.#requests.deliver(key)
    const isAwaited = this.#isAwaited(piece)
    const want = this.#wants.get(key)
    const block = { bytes, verified: true, sender: gateway.url } as const

    if (isNew) {
      piece.deliver(arrived)
    }

    if (want == null) {
      // read before its reader, it has come early. Through a daemon, blocks may be asked for in any order
      const isEarly = !isAwaited || (this.#init.settings.carsOnly && !this.#early.isFull)

      if (isNew) {
        this.#early.add(key, { block, piece })
      }

      piece.stray += isNew && isEarly ? 0 : costOf(bytes)
    } else {
      piece.use(want.part, bytes.byteLength)
      this.#requests.failedOpens = 0
      this.#init.settings.succeeded(gateway)
      want.resolve(block)
    }

    for (const want of this.#wants.unplaced) {
      want.passed += costOf(bytes)

      // what belongs to no file that is read may not be on its way at all
      if (want.passed > MAX_STRAY_BYTES) {
        this.#wants.fetchAlone(want)
      }
    }

    this.#schedule()
  }
}
