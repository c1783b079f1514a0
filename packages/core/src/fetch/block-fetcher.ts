import * as dagPb from '@ipld/dag-pb'
import { anySignal } from 'any-signal'
import { raceSignal } from 'race-signal'
import { delay } from '../util/delay.ts'
import { MAX_LEAF_SIZE, NODE_SIZE_GUESS } from '../constants.ts'
import { FetchStalledError } from '../errors.ts'
import { emit } from '../events.ts'
import { askSources } from './ask-sources.ts'
import { FetchWindow } from './fetch-window.ts'
import { SourceOrder } from './source-order.ts'
import { stallTime, watchForStall } from './stall-detector.ts'
import type { FetchScope } from './fetch-scope.ts'
import type { FetchSettings } from './init.ts'
import type { BlockSource, SourceBlock, SourceOptions } from './source.ts'
import type { CID } from 'multiformats/cid'

/** How many times to request a block from peers that answer that they cannot send it. */
const MAX_FAILURES = 4
/**
 * Milliseconds to wait before requesting a block again. Helia's Bitswap takes 10 ms to forget
 * a request, and does not repeat it before.
 */
const FIRST_WAIT = 250
const LONGEST_WAIT = 1000

export interface FetchOptions extends Pick<SourceOptions, 'damaged' | 'onProgress' | 'part' | 'providers'> {
  signal?: AbortSignal | null | undefined
  /** Aborted when the block is no longer needed. */
  until?: AbortSignal | undefined
  /** The block's size in bytes, if known. */
  expectedSize?: number | undefined
}

/** The first block of all: after this time the next source is asked too, a second in milliseconds. */
const HEDGE_TIME = 1000

/** A block that is being fetched. */
interface Attempts {
  cid: CID
  scope: FetchScope
  options: FetchOptions
  signal: AbortSignal
  /** When it was first requested. */
  started: number
  /** How often it did not arrive in time. */
  stalls: number
}

/** Thrown when one attempt to fetch a block takes too long. */
class AttemptTimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/**
 * Fetches blocks from sources. Bounds how much is requested at a time, requests
 * blocks again that do not arrive, and gives up when nothing arrives for the timeout.
 */
export class BlockFetcher {
  readonly window: FetchWindow
  readonly #sources: readonly BlockSource[]
  readonly #order: SourceOrder
  readonly #settings: FetchSettings

  constructor (sources: readonly BlockSource[], settings: FetchSettings) {
    this.#sources = sources
    this.#order = new SourceOrder(sources)
    this.#settings = settings
    this.window = new FetchWindow(settings)
  }

  /**
   * Fetch a block. It is not compared with its CID here.
   *
   * @throws {FetchStalledError} no block of the scope arrived within the timeout
   * @throws {Error} that of the last source, if none has it
   */
  async fetch (cid: CID, scope: FetchScope, options: FetchOptions): Promise<SourceBlock> {
    const { window } = this
    const { timeout } = this.#settings
    const signal = anySignal([options.signal, options.until])
    const search = new AbortController()
    const attempts: Attempts = { cid, scope, options, signal, started: 0, stalls: 0 }
    const guess = cid.code === dagPb.code ? NODE_SIZE_GUESS : MAX_LEAF_SIZE
    let size = Math.min(options.expectedSize ?? guess, MAX_LEAF_SIZE)
    let failures = 0

    try {
      for (;;) {
        const slot = await window.acquire(size, scope, signal)
        const started = window.now()
        attempts.started ||= started

        try {
          const block = await this.#attempt(attempts, size)
          const { bytes: { byteLength }, sender, provider, broker } = block
          slot.end(byteLength)
          scope.lastArrival = window.now()
          const duration = scope.lastArrival - started
          emit(options, 'ipfsz:fetch:block', { cid, size: byteLength, duration, sender, provider, broker })

          return block
        } catch (err) {
          signal.throwIfAborted()

          const stalled = err instanceof AttemptTimeoutError

          if (stalled && this.#waited(attempts) >= timeout) {
            // before others are asked for: the sources now know that it is in vain
            const providers = await raceSignal(this.#giveUp(scope), signal)
            throw new FetchStalledError(cid, timeout, { providers, cause: err })
          }

          if (!stalled && (!isRefused(err) || ++failures === MAX_FAILURES)) {
            throw err
          }

          if (stalled) {
            attempts.stalls++

            if (slot.overtaken()) {
              // the link is not slow: a block that no peer has must not hold up the others
              size = 0
            } else {
              window.shrink()
            }
          }

          scope.search(search.signal)
          const reason = stalled ? 'stalled' : 'failed'
          emit(options, 'ipfsz:fetch:retry', { cid, attempt: attempts.stalls + failures, reason, error: err as Error })
        } finally {
          slot.end()
        }

        // other sources need not forget anything
        const retries = attempts.stalls + failures - (this.#sources.length > 1 ? 1 : 0)
        await delay(retries === 0 ? 0 : Math.min(FIRST_WAIT * 2 ** (retries - 1), LONGEST_WAIT), signal)
      }
    } finally {
      search.abort()
      signal.clear()
    }
  }

  async #attempt (attempts: Attempts, size: number): Promise<SourceBlock> {
    const { cid, scope, options, signal, stalls } = attempts
    const giveUp = new AbortController()
    const attempt = anySignal([signal, giveUp.signal])
    const left = this.#settings.timeout - this.#waited(attempts)
    const isHedged = this.window.lastArrival === Number.NEGATIVE_INFINITY
    const isFirst = stalls === 0 && this.#sources.length > 1
    // a first source that keeps silent leaves half of the time to the others, unless they are asked beside it
    const share = isFirst && !isHedged ? left / 2 : left
    const time = Math.min(stallTime(this.window, this.#settings, stalls, size), share)
    const pause = stalls > 0 ? 0 : isHedged ? Math.min(HEDGE_TIME, left / 2) : undefined
    const unwatch = watchForStall(this.window, time, () => {
      giveUp.abort(new AttemptTimeoutError(`The block ${cid} did not arrive within ${Math.round(time)} ms`))
    })

    try {
      attempt.throwIfAborted()
      const block = await raceSignal(this.#ask(cid, {
        ...options,
        root: scope.root,
        size: options.expectedSize,
        providers: [...options.providers ?? [], ...scope.providers],
        signal: attempt
      }, pause), attempt)

      if (block.provider != null) {
        scope.add(block.provider)
      }

      return block
    } finally {
      unwatch()
      // whether it won or lost the race, stop requesting the block
      giveUp.abort()
      attempt.clear()
    }
  }

  /**
   * Ask the sources one after the other: that wastes nothing. Once one kept silent, ask all of them at once. While
   * nothing has arrived at all, the next one is asked too after a second.
   */
  async #ask (cid: CID, options: SourceOptions, pause: number | undefined): Promise<SourceBlock> {
    const { source, block, hasOvertaken } = await askSources(this.#order.sources, cid, options, pause)

    if (hasOvertaken) {
      this.#order.prefer(source)
    }

    return block
  }

  /** How many milliseconds nothing has arrived while a block is waited for. */
  #waited ({ started, scope }: Attempts): number {
    return this.window.now() - Math.max(started, scope.lastArrival)
  }

  /** Tell the sources. Returns how many peers they know, if any of them does. */
  async #giveUp ({ root }: FetchScope): Promise<number | undefined> {
    const { timeout } = this.#settings
    const counts = await Promise.all(
      this.#sources.map(async source => source.gaveUp?.(root, timeout).catch(() => undefined))
    )
    const known = counts.filter(count => count != null)

    return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count)
  }
}

/** Whether Helia reports that every peer answered that it cannot send the block. */
function isRefused (err: unknown): boolean {
  return err instanceof Error && err.name === 'LoadBlockFailedError'
}
