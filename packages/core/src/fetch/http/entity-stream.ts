// Above 250 lines: the steps of the responses share their state, and nearly all of them change it.
import { forgetOldest } from '@ipfsz/codecs/internal'
import * as raw from 'multiformats/codecs/raw'
import { SLOW_PART, STALL_CHECK_INTERVAL } from '../../constants.ts'
import { costOf, EarlyBlocks } from './early-blocks.ts'
import { GatewayRefusedError, GatewaysFailedError, GatewayStalledError } from './errors.ts'
import { LOOK_AHEAD, MAX_DELIVERED, MAX_FAILED_OPENS, MAX_STRAY_BYTES, MIN_STEP } from './limits.ts'
import { PieceStream } from './piece-stream.ts'
import { covers, isEnding, nextShare } from './shares.ts'
import { isPlaced } from './want.ts'
import type { EarlyBudget } from './early-blocks.ts'
import type { Gateway } from './gateway.ts'
import type { PieceStreamInit } from './piece-stream.ts'
import type { CarBlock } from './read-car.ts'
import type { GatewaySettings } from './settings.ts'
import type { Piece, Share } from './shares.ts'
import type { GatewayBlock, PlacedWant, Want } from './want.ts'
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
 * wait, and once these take too much, no more is read from responses that nobody waits for.
 *
 * The first request is for all of it. If that takes long, other gateways send pieces of the file: see `nextShare`. What
 * a response that breaks off, stalls, or brings something else has left is asked for again.
 */
export class EntityStream {
  readonly #init: EntityStreamInit
  /** The blocks that somebody waits for, by key. */
  readonly #wants = new Map<string, Want>()
  readonly #early: EarlyBlocks<PieceStream>
  #pieces: readonly PieceStream[] = []
  /** The keys of the last blocks that arrived. */
  readonly #delivered = new Set<string>()
  /** What responses that have ended have brought, behind the first block that is waited for. */
  #brought: Piece[] = []
  /** Gateways that do not send CARs of it. */
  readonly #refusing = new Set<Gateway>()
  /** The file whose blocks it brings, once that is known. */
  #file: string | undefined
  /** How far the file is read. */
  #fileEnd = 0
  #stopped = false
  /** How often in a row no gateway sent a CAR. */
  #failedOpens = 0
  #check: ReturnType<typeof setTimeout> | undefined

  constructor (init: EntityStreamInit) {
    this.#init = init
    this.#early = new EarlyBlocks(init.early)

    if (init.first != null) {
      this.#open({ ...init.first, start: 0, end: Number.POSITIVE_INFINITY })
    }
  }

  /** Whether nothing is waited for. */
  get isIdle (): boolean {
    return this.#wants.size === 0
  }

  /** Whether a response is being read, or will be. */
  get isOpen (): boolean {
    return !this.#stopped && this.#pieces.length > 0
  }

  /** Whether a block of a file is one of its blocks. */
  accepts ({ file }: FilePart): boolean {
    return this.#file == null ? this.isOpen : this.#file === file.toString()
  }

  /** Whether a gateway sends it, or is to send it. */
  isSentBy (gateway: Gateway): boolean {
    return this.isOpen && this.#pieces.some(piece => piece.gateway === gateway)
  }

  /** A block that has arrived before. */
  take (key: string, part: FilePart | undefined): GatewayBlock | undefined {
    const early = this.#early.take(key)

    if (early == null) {
      return undefined
    }

    early.piece.use(part, 0)
    this.#schedule()

    return early.block
  }

  ask (want: Want): void {
    this.#file ??= want.part?.file.toString()
    this.#fileEnd = Math.max(this.#fileEnd, want.part?.end ?? 0)

    // the next response would bring it, but another source does so sooner
    const isPassed = this.#hasPassed(want) || (this.#init.settings.carsOnly && this.#isBefore(want))

    if (isPassed || this.#stopped || this.#failedOpens >= MAX_FAILED_OPENS) {
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
    this.#pieces.forEach(piece => { this.#end(piece) })
    this.#wants.forEach(want => { this.#fetchAlone(want) })
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
      this.#pieces.filter(piece => !piece.hasAnswered).forEach(piece => { this.#end(piece) })
    }
  }

  /** Whether all responses begin behind the place of a block in the file. */
  #isBefore ({ part }: Want): boolean {
    return part != null && this.#pieces.length > 0 && this.#pieces.every(({ start }) => start > part.start)
  }

  /** Whether a block has been delivered already, or a response has passed its place in the file. */
  #hasPassed ({ key, part }: Want): boolean {
    const answered = this.#pieces.filter(({ hasAnswered }) => hasAnswered)

    return answered.length > 0 && (this.#delivered.has(key) || (
      part != null && !this.#pieces.some(piece => piece.covers(part.start)) &&
      (answered.some(({ start }) => start > part.start) || this.#hasBrought(part.start))
    ))
  }

  /** Ask for what no response brings, and read on from those that are waited for. */
  #schedule (): void {
    if (this.#stopped) {
      return
    }

    clearTimeout(this.#check)

    if (this.#pieces.length === 0) {
      const first = this.#firstWant()

      if (first != null) {
        // whichever gateway answers first
        this.#openPiece(first, { start: first.part.start, end: this.#fileEnd })
      }

      // a CAR of the file does not bring them
      this.#unplaced().forEach(want => { this.#fetchAlone(want) })
    } else if (this.#init.settings.pool.gateways.length > 1 && !this.isIdle) {
      if (this.#file == null) {
        this.#leaveSlow()
      } else {
        this.#share()
      }

      this.#check = setTimeout(() => { this.#schedule() }, STALL_CHECK_INTERVAL)
    }

    for (const piece of this.#pieces) {
      if (!piece.isReading && this.#mayRead(piece)) {
        // never rejects
        this.#read(piece).catch(() => {})
      }
    }
  }

  /** Give each gateway that is free the part that it should send. */
  #share (): void {
    const senders = this.#init.settings.pool.gateways.filter(gateway => this.#isUsable(gateway))
    const free = senders.filter(gateway => this.#isFree(gateway)).toSorted((a, b) => (b.rate ?? 0) - (a.rate ?? 0))

    const wants = this.#placed()
    const wanted = this.#offsets(wants)

    for (const gateway of free) {
      const share = nextShare(gateway, { wanted, end: this.#fileEnd, parts: this.#pieces, senders })

      if (share != null) {
        this.#openPiece(wants.find(({ part }) => part.start === share.start) ?? wants[0], share, gateway)
        this.#takeFrom(share)
      }
    }
  }

  /** Whether a gateway sends nothing, or soon will have sent all that it was asked for. */
  #isFree (gateway: Gateway): boolean {
    const own = this.#pieces.filter(piece => piece.gateway === gateway && piece.isReading)

    return own.length === 0 || (own.length === 1 && isEnding(own[0], { end: this.#fileEnd }))
  }

  /** Where the blocks begin that are waited for, and those that probably follow: leaves of the same size. */
  #offsets (wants: readonly PlacedWant[]): number[] {
    const offsets = wants.map(({ part }) => part.start)
    const last = wants.at(-1)

    if (last?.cid.code === raw.code && last.size != null && last.size > 0) {
      const end = Math.min(offsets[0] + LOOK_AHEAD, this.#fileEnd)
      const step = last.size * Math.ceil(MIN_STEP / last.size)

      for (let offset = last.part.start + last.size; offset < end; offset += step) {
        if (!this.#hasBrought(offset)) {
          offsets.push(offset)
        }
      }
    }

    return offsets
  }

  /** Whether a response brought what begins at an offset. */
  #hasBrought (offset: number): boolean {
    return [...this.#brought, ...this.#pieces.map(({ brought }) => brought)].some(piece => covers(piece, offset))
  }

  #isUsable (gateway: Gateway): boolean {
    const own = this.#pieces.filter(piece => piece.gateway === gateway)

    // one that was silent from the beginning is asked only if the others fail
    return own.length > 0
      ? own.some(({ isSilent }) => !isSilent)
      : gateway.pause === 0 && !this.#refusing.has(gateway) && !this.#init.settings.isExcluded(gateway) &&
        (gateway.hasWorked || !gateway.isSlow)
  }

  /** Another gateway sends a part of what a response was to bring. */
  #takeFrom ({ start, from }: Share<Gateway>): void {
    const { settings } = this.#init
    const piece = this.#pieces.find(piece => piece === from)

    if (piece?.gateway == null) {
      return
    }

    const { gateway, isSilent, reached } = piece
    piece.cut(start)

    if (isSilent) {
      settings.failed(gateway, new GatewayStalledError(gateway.url, settings.hedgeTime))
    }

    // nothing is left of it
    if (isSilent || start <= reached) {
      this.#leave(piece)
    }
  }

  #openPiece ({ cid, part: { file } }: PlacedWant, { start, end }: Share<Gateway>, gateway?: Gateway): void {
    const path = `ipfs/${file}?format=car&dag-scope=entity&entity-bytes=${start}:${Math.min(end, this.#fileEnd) - 1}`
    this.#open({ path, cid, start, end, gateway })
  }

  #open (request: Omit<PieceStreamInit, 'settings'>): void {
    this.#pieces = [...this.#pieces, new PieceStream({ ...request, settings: this.#init.settings })]
  }

  /** Whether to read on from a response. */
  #mayRead (piece: PieceStream): boolean {
    return this.#isAwaited(piece) || !this.#early.isFarAhead
  }

  /** Whether the next blocks of a response are waited for: not those that the reader only knows to come. */
  #isAwaited (piece: PieceStream): boolean {
    const first = this.#firstWant()

    return (first != null && piece.covers(first.part.start)) || [...this.#wants.values()].some(({ part }) =>
      part == null ? piece.isPlanned : piece.covers(part.start) && part.start < piece.reached + MAX_STRAY_BYTES)
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
          this.#leave(piece)
        } else {
          this.#arrive(block, piece)
        }
      }
    } catch (err) {
      this.#fail(piece, err as Error)
    }

    // at once: a block that is asked for from here on starts it again
    piece.isReading = false
    this.#schedule()
  }

  #arrive (arrived: CarBlock, piece: PieceStream): void {
    const { key, bytes } = arrived
    const gateway = piece.gateway as Gateway
    const isNew = this.#add(key)
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
      this.#failedOpens = 0
      this.#init.settings.succeeded(gateway)
      want.resolve(block)
    }

    for (const want of this.#unplaced()) {
      want.passed += costOf(bytes)

      // what belongs to no file that is read may not be on its way at all
      if (want.passed > MAX_STRAY_BYTES) {
        this.#fetchAlone(want)
      }
    }

    // it seems to bring something else than what is waited for, or nothing more
    if (piece.stray > MAX_STRAY_BYTES || piece.isDone) {
      this.#leave(piece)
    }

    this.#schedule()
  }

  /** Remember a block. Returns whether it was not there before. */
  #add (key: string): boolean {
    const isNew = !this.#delivered.has(key)
    this.#delivered.add(key)

    forgetOldest(this.#delivered, MAX_DELIVERED)

    return isNew
  }

  /**
   * If another gateway is faster than the one that sends what no file is known of, fetch its blocks one by one. Not if
   * that one sends blocks beside it already: then both are needed.
   */
  #leaveSlow (): void {
    const { settings } = this.#init
    const isNoHelp = (gateway: Gateway): boolean => settings.isExcluded(gateway) || gateway.requests > 0

    for (const piece of this.#pieces) {
      const { gateway, waited, rate = 0 } = piece

      if (gateway != null && waited >= settings.stallTimeout * SLOW_PART) {
        gateway.rate = rate

        if (settings.pool.faster(gateway, rate, isNoHelp) != null) {
          gateway.isSlow = true
          this.#leave(piece)
        }
      }
    }
  }

  /** A response has ended, or brings something else than what is waited for. */
  #leave (piece: PieceStream): void {
    this.#end(piece)

    if (piece.isPlanned) {
      this.#unplaced().forEach(want => { this.#fetchAlone(want) })
    }

    // the next response would leave them out too
    for (const want of this.#placed().filter(({ part }) => piece.hasSkipped(part.start))) {
      if (!this.#pieces.some(other => other.covers(want.part.start))) {
        this.#fetchAlone(want)
      }
    }
  }

  #fail (piece: PieceStream, err: Error): void {
    const { settings } = this.#init
    const { gateway, isClosed } = piece

    if (isClosed) {
      return
    }

    if (gateway == null) {
      this.#end(piece)
      this.#failAll(err)
    } else {
      if (!piece.hasAnswered && isRefusal(err)) {
        this.#refusing.add(gateway)
      }

      settings.failed(gateway, err)
      this.#leave(piece)
    }
  }

  /** No gateway sends a CAR of it: those that are there may send its blocks. */
  #failAll (err: Error): void {
    this.#failedOpens++
    const isThere = err instanceof GatewaysFailedError && err.failures.some(isRefusal)

    for (const want of this.#wants.values()) {
      if (isThere) {
        this.#fetchAlone(want)
      } else {
        want.reject(err)
      }
    }
  }

  #fetchAlone (want: Want): void {
    this.#wants.delete(want.key)
    this.#init.fetchAlone(want)
  }

  /** The blocks whose place in the file is known, in its order. */
  #placed (): PlacedWant[] {
    return [...this.#wants.values()].filter(isPlaced).toSorted((a, b) => a.part.start - b.part.start)
  }

  #unplaced (): Want[] {
    return [...this.#wants.values()].filter(want => !isPlaced(want))
  }

  /** The first of the placed ones. */
  #firstWant (): PlacedWant | undefined {
    let first: PlacedWant | undefined

    for (const want of this.#wants.values()) {
      if (isPlaced(want) && (first == null || want.part.start < first.part.start)) {
        first = want
      }
    }

    return first
  }

  #end (piece: PieceStream): void {
    const first = this.#firstWant()?.part.start ?? 0
    piece.close()
    this.#pieces = this.#pieces.filter(other => other !== piece)
    this.#brought = [...this.#brought, piece.brought].filter(({ start, end }) => end > Math.max(start, first))
  }
}

function isRefusal ({ name }: Error): boolean {
  return name === GatewayRefusedError.name
}
