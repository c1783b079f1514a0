// Above 250 lines: what is asked for depends on all responses of a file, which change together.
import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import { SLOW_PART } from '../../constants.ts'
import { CutResponses } from './ask-gateways.ts'
import { GatewaysFailedError, GatewayStalledError } from './errors.ts'
import { MAX_FAILED_OPENS, MAX_RAW_REQUESTS, MAX_REMEMBERED } from './limits.ts'
import { PieceStream } from './piece-stream.ts'
import { covers, isEnding, nextShare } from './shares.ts'
import type { Gateway } from './gateway.ts'
import type { PieceStreamInit } from './piece-stream.ts'
import type { GatewaySettings } from './settings.ts'
import type { Piece, Share } from './shares.ts'
import type { PlacedWant, Want, WantedBlocks } from './want.ts'

/**
 * The requests for CARs of one file, or of what one path leads to: who is asked for which part, and what has come.
 *
 * The first request is for all of it. If that takes long, other gateways send pieces of the file: see `nextShare`. What
 * a response that breaks off, stalls, or brings something else has left is asked for again.
 */
export class FileRequests {
  readonly #settings: GatewaySettings
  readonly #wants: WantedBlocks
  open: readonly PieceStream[] = []
  /** What those that have ended have brought, behind the first block that is waited for. */
  #brought: Piece[] = []
  /** The keys of the last blocks that arrived. */
  readonly #delivered = new Set<string>()
  /** CARs of it that were cut before they brought anything. */
  readonly #cuts = new CutResponses()
  /** Gateways that do not send CARs of it. */
  readonly #refusing = new Set<Gateway>()
  /** The file whose blocks they bring, once that is known. */
  file: string | undefined
  /** How far the file is read. */
  #fileEnd = 0
  /** How often in a row no gateway sent a CAR, or one sent a CAR of other blocks. */
  failedOpens = 0

  constructor (settings: GatewaySettings, wants: WantedBlocks) {
    this.#settings = settings
    this.#wants = wants
  }

  /** Learn from a block which file it is, and how far that is read. */
  note ({ part }: Want): void {
    this.file ??= part?.file.toString()
    this.#fileEnd = Math.max(this.#fileEnd, part?.end ?? 0)
  }

  of (gateway: Gateway): PieceStream[] {
    return this.open.filter(piece => piece.gateway === gateway)
  }

  /** Whether a block has been delivered already, or a response has passed its place in the file. */
  havePassed ({ key, part }: Want): boolean {
    const answered = this.open.filter(({ hasAnswered }) => hasAnswered)
    const isBehind = ({ start }: PieceStream): boolean => part != null && start > part.start

    // before all that are open, the next one would bring it: another source than gateways does so sooner
    return (this.#settings.carsOnly && this.open.length > 0 && this.open.every(isBehind)) ||
      (answered.length > 0 && (this.#delivered.has(key) || (
        part != null && !this.cover(part.start) && (answered.some(isBehind) || this.#hasBrought(part.start))
      )))
  }

  /** Remember a block. Returns whether it was not there before. */
  deliver (key: string): boolean {
    const isNew = !this.#delivered.has(key)
    forgetOldest(this.#delivered.add(key), MAX_REMEMBERED)

    return isNew
  }

  begin (request: Omit<PieceStreamInit, 'settings'>): void {
    this.open = [...this.open, new PieceStream({ ...request, settings: this.#settings })]
  }

  /** Ask for what no response brings. Returns whether to look again soon: another gateway may have to send it. */
  plan (): boolean {
    const isShared = this.open.length > 0 && this.#settings.pool.gateways.length > 1 && this.#wants.size > 0

    if (isShared && this.file == null) {
      this.#leaveSlow()
    } else if (isShared) {
      this.#share()
    } else {
      if (this.open.length === 0) {
        // a CAR of the file does not bring them
        this.#wants.unplaced.forEach(want => { this.#wants.fetchAlone(want) })
      }

      // one that goes to the end brings all
      for (const want of this.open.every(({ end }) => end < this.#fileEnd) ? this.#wants.placed : []) {
        const { start } = want.part

        if ((want.isAlone || this.failedOpens >= MAX_FAILED_OPENS) && !this.cover(start)) {
          this.#wants.fetchAlone(want)
        } else if (this.open.length < MAX_RAW_REQUESTS && this.open.every(({ end }) => end <= start)) {
          // the first ones, and those behind what is here. Whichever gateway answers first
          this.#beginPiece(want, { start, end: this.#fileEnd })
        }
      }
    }

    return isShared
  }

  end (piece: PieceStream): void {
    const first = this.#wants.first?.part.start ?? 0
    piece.close()
    this.open = this.open.filter(other => other !== piece)
    this.#brought = [...this.#brought, piece.brought].filter(({ start, end }) => end > Math.max(start, first))
  }

  /** A response has ended, or brings something else than what is waited for. */
  leave (piece: PieceStream): void {
    this.end(piece)

    // the next response would leave them out too
    const skipped = this.#wants.placed.filter(({ part: { start } }) => piece.hasSkipped(start) && !this.cover(start))

    for (const want of [...piece.isPlanned ? this.#wants.unplaced : [], ...skipped]) {
      this.#wants.fetchAlone(want)
    }
  }

  /** A response has failed. */
  fail (piece: PieceStream, err: Error): void {
    const { gateway, isClosed } = piece

    if (!isClosed && gateway == null) {
      this.end(piece)
      this.#failAll(err)
    } else if (!isClosed && gateway != null) {
      if (err.name === 'GatewayRefusedError') {
        this.#refusing.add(gateway)
        // it brought other blocks, and the next time it would too
        this.failedOpens += piece.hasAnswered ? 1 : 0
        gateway.isSlow ||= piece.hasAnswered
      }

      this.#settings.failed(gateway, err)
      this.#cuts.note(gateway, err)

      if (this.#cuts.of(gateway) >= MAX_FAILED_OPENS) {
        // single blocks are shorter
        this.#refusing.add(gateway)
        const isLast = this.#settings.pool.gateways.every(other => this.#refusing.has(other))
        this.failedOpens += isLast ? MAX_FAILED_OPENS : 0
      }

      this.leave(piece)
    }
  }

  /** No gateway sends a CAR of what no other response brings: those that are there may send its blocks. */
  #failAll (err: Error): void {
    this.failedOpens++
    const isUp = err instanceof GatewaysFailedError && err.failures.some(({ name }) => name === 'GatewayRefusedError')
    const left = [...this.#wants.values()].filter(({ part }) => part == null || !this.cover(part.start))

    left.forEach(want => isUp ? this.#wants.fetchAlone(want) : want.reject(err))
  }

  /** Give each gateway that is free the part that it should send. */
  #share (): void {
    const senders = this.#settings.pool.gateways.filter(gateway => this.#isUsable(gateway))
    const free = senders.filter(gateway => this.#isFree(gateway)).toSorted((a, b) => (b.rate ?? 0) - (a.rate ?? 0))
    const wants = this.#wants.placed
    const wanted = this.#wants.offsets(this.#fileEnd, offset => this.#hasBrought(offset))

    for (const gateway of free) {
      const share = nextShare(gateway, { wanted, end: this.#fileEnd, parts: this.open, senders })

      if (share != null) {
        this.#beginPiece(wants.findLast(({ part }) => part.start <= share.start) ?? wants[0], share, gateway)
        this.#takeFrom(share)
      }
    }
  }

  /**
   * If another gateway is faster than the one that sends what no file is known of, leave that: its blocks are fetched
   * one by one then. Not if that one sends blocks beside it already: then both are needed.
   */
  #leaveSlow (): void {
    const { pool, stallTimeout } = this.#settings
    const isNoHelp = (gateway: Gateway): boolean => this.#settings.isExcluded(gateway) || gateway.requests > 0

    for (const piece of this.open) {
      const { gateway, waited, rate = 0 } = piece

      if (gateway != null && waited >= stallTimeout * SLOW_PART) {
        gateway.rate = rate

        if (pool.faster(gateway, rate, isNoHelp) != null) {
          gateway.isSlow = true
          this.leave(piece)
        }
      }
    }
  }

  /** Whether a gateway sends nothing, or soon will have sent all that it was asked for. */
  #isFree (gateway: Gateway): boolean {
    const own = this.of(gateway).filter(({ isReading }) => isReading)

    return own.length === 0 || (own.length === 1 && isEnding(own[0], { end: this.#fileEnd }))
  }

  #isUsable (gateway: Gateway): boolean {
    const own = this.of(gateway)

    // one that was silent from the beginning is asked only if the others fail
    return own.length > 0
      ? own.some(({ isSilent }) => !isSilent)
      : gateway.pause === 0 && !this.#refusing.has(gateway) && !this.#settings.isExcluded(gateway) &&
        (gateway.hasWorked || !gateway.isSlow)
  }

  /** Whether one may still bring what begins at an offset. */
  cover (offset: number): boolean {
    return this.open.some(piece => covers(piece, offset))
  }

  /** Whether a response brought what begins at an offset. */
  #hasBrought (offset: number): boolean {
    return [...this.#brought, ...this.open.map(({ brought }) => brought)].some(piece => covers(piece, offset))
  }

  #beginPiece ({ cid, part }: PlacedWant, { start, end: last }: Share<Gateway>, gateway?: Gateway): void {
    const end = Math.min(last, this.#fileEnd, part.here ?? last)
    const path = `ipfs/${part.file}?format=car&dag-scope=entity&entity-bytes=${start}:${end - 1}`
    this.begin({ path, cid, start, end, gateway })
  }

  /** Another gateway sends a part of what a response was to bring. */
  #takeFrom ({ start, from }: Share<Gateway>): void {
    const piece = this.open.find(piece => piece === from)

    if (piece?.gateway == null) {
      return
    }

    const { gateway, isSilent, reached } = piece
    piece.end = start

    if (isSilent) {
      this.#settings.failed(gateway, new GatewayStalledError(gateway.url, this.#settings.hedgeTime))
    }

    // nothing is left of it
    if (isSilent || start <= reached) {
      this.leave(piece)
    }
  }
}
