import { forgetOldest } from '@ipfsz/utils/forget-oldest'
import * as dagPb from '@ipld/dag-pb'
import { anySignal } from 'any-signal'
import { raceSignal } from 'race-signal'
import { blockKey } from '../dag/block-key.ts'
import { delay } from '../util/delay.ts'
import { NO_LONGER_NEEDED } from '../util/no-longer-needed.ts'
import {
  DEFAULT_HEDGE_TIME,
  FIRST_RETRY,
  LONGEST_RETRY,
  MAX_LEAF_SIZE,
  NODE_SIZE_GUESS,
  STALLED_AGAIN
} from '../constants.ts'
import { FetchStalledError } from '../errors.ts'
import { emit } from '../events.ts'
import { FetchWindow } from './fetch-window.ts'
import { SourceOrder } from './source-order.ts'
import type { FetchScope } from './fetch-scope.ts'
import type { FetchSettings } from './init.ts'
import type { BlockSource, SourceBlock, SourceOptions } from './source.ts'
import type { GetBlockOptions } from '../dag/block.ts'
import type { CID } from 'multiformats/cid'

/** How many times to request a block from peers that answer that they cannot send it. */
const MAX_FAILURES = 4
/** How many blocks that were asked for are remembered. */
const MAX_REMEMBERED = 4096
/** The fewest bytes of blocks far ahead that may be in flight, 256 KiB: a slow gateway is asked for little at first. */
const MIN_FAR_AHEAD = 256 * 1024

export type FetchOptions = GetBlockOptions & Pick<SourceOptions, 'damaged' | 'onProgress' | 'providers'>

/** A block that is being fetched. */
interface Attempts {
  cid: CID
  scope: FetchScope
  window: FetchWindow
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
  /** The keys of the last blocks that were asked for. */
  readonly fetched = new Set<string>()
  /**
   * For blocks that are far ahead, which other gateways send. Each of these requests ends before the next gateway would
   * be asked too, and none of them takes the place of a block that is waited for.
   */
  readonly #farAhead: FetchWindow
  readonly #order: SourceOrder
  readonly #settings: FetchSettings

  constructor (sources: readonly BlockSource[], settings: FetchSettings) {
    this.#order = new SourceOrder(sources)
    this.#settings = settings
    this.window = new FetchWindow(settings)
    this.#farAhead = new FetchWindow({
      maxBytes: settings.maxBytes / 4,
      minBytes: MIN_FAR_AHEAD,
      ahead: DEFAULT_HEDGE_TIME / 2
    })
  }

  /**
   * Fetch a block. It is not compared with its CID here.
   *
   * @throws {FetchStalledError} no block of the scope arrived within the timeout
   * @throws {Error} that of the last source, if none has it
   */
  async fetch (cid: CID, scope: FetchScope, options: FetchOptions): Promise<SourceBlock> {
    const window = options.isFarAhead === true ? this.#farAhead : this.window
    const { timeout } = this.#settings
    const signal = anySignal([options.signal, options.until])
    const search = new AbortController()
    const attempts: Attempts = { cid, scope, window, options, signal, started: 0, stalls: 0 }
    const guess = cid.code === dagPb.code ? NODE_SIZE_GUESS : MAX_LEAF_SIZE
    let size = Math.min(options.expectedSize ?? guess, MAX_LEAF_SIZE)
    let failures = 0

    forgetOldest(this.fetched.add(blockKey(cid)), MAX_REMEMBERED)

    try {
      for (;;) {
        const slot = await window.acquire(size, scope, signal)
        const started = window.now()
        attempts.started ||= started

        try {
          const block = await this.#attempt(attempts, size)
          const { bytes: { byteLength }, sender, provider, broker } = block
          slot.end(byteLength)
          scope.arrivals.arrived()
          const duration = window.now() - started
          emit(options, 'ipfsz:fetch:block', { cid, size: byteLength, duration, sender, provider, broker })

          return block
        } catch (err) {
          signal.throwIfAborted()

          const stalled = err instanceof AttemptTimeoutError

          if (stalled && this.#waited(attempts) >= timeout) {
            // before others are asked for: the sources now know that it is in vain
            const providers = await raceSignal(this.#giveUp(scope), signal)
            const failures = this.#order.sources.flatMap(source => source.failures?.() ?? [])
            throw new FetchStalledError(cid, timeout, { providers, failures, cause: err })
          }

          // Helia reports with it that every peer answered that it cannot send the block
          const isRefused = err instanceof Error && err.name === 'LoadBlockFailedError'

          if (!stalled && (!isRefused || ++failures === MAX_FAILURES)) {
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
        const retries = attempts.stalls + failures - (this.#order.sources.length > 1 ? 1 : 0)
        await delay(retries === 0 ? 0 : Math.min(FIRST_RETRY * 2 ** (retries - 1), LONGEST_RETRY), signal)
      }
    } finally {
      search.abort(NO_LONGER_NEEDED)
      signal.clear()
    }
  }

  async #attempt (attempts: Attempts, size: number): Promise<SourceBlock> {
    const { cid, scope, window, options, signal } = attempts
    const giveUp = new AbortController()
    const attempt = anySignal([signal, giveUp.signal])
    const left = this.#settings.timeout - this.#waited(attempts)
    const isHedged = !this.window.arrivals.hasBegun
    const isFirst = attempts.stalls === 0 && this.#order.sources.length > 1
    // a first source that keeps silent leaves half of the time to the others, unless they are asked beside it
    const share = isFirst && !isHedged ? left / 2 : left
    const time = Math.min(this.#stallTime(attempts, size), share)
    // asking one after the other wastes nothing; once one kept silent, all of them are asked at once
    const pause = attempts.stalls > 0 ? 0 : isHedged ? Math.min(DEFAULT_HEDGE_TIME, left / 2) : undefined
    const unwatch = window.arrivals.watch(time, () => {
      giveUp.abort(new AttemptTimeoutError(`The block ${cid} did not arrive within ${Math.round(time)} ms`))
    }, { longest: time * 3 })

    try {
      attempt.throwIfAborted()
      const block = await raceSignal(this.#order.ask(cid, {
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
      giveUp.abort(NO_LONGER_NEEDED)
      attempt.clear()
    }
  }

  /**
   * Milliseconds after which a request for a block counts as stalled. A block queued behind others gets more time, but
   * is requested again after half of the timeout, in case the request was lost. It gets even more if the block alone
   * takes that long.
   */
  #stallTime ({ window, stalls }: Attempts, size: number): number {
    const { stallTimeout, timeout } = this.#settings
    const time = stalls === 0 ? stallTimeout : Math.min(stallTimeout, STALLED_AGAIN * 2 ** (stalls - 1))
    const latest = Math.max(timeout / 2, window.timeOf(size) * 2)

    return Math.max(time, Math.min(window.backlog * 3, latest))
  }

  /** How many milliseconds nothing has arrived while a block is waited for. */
  #waited ({ started, scope }: Attempts): number {
    return scope.arrivals.silence(started)
  }

  /** Tell the sources. Returns how many peers they know, if any of them does. */
  async #giveUp ({ root }: FetchScope): Promise<number | undefined> {
    const { timeout } = this.#settings
    const counts = await Promise.all(
      this.#order.sources.map(async source => source.gaveUp?.(root, timeout).catch(() => undefined))
    )
    const known = counts.filter(count => count != null)

    return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count)
  }
}
