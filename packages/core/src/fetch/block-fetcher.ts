import * as dagPb from '@ipld/dag-pb'
import { anySignal } from 'any-signal'
import { raceSignal } from 'race-signal'
import { delay } from '../util/delay.ts'
import { MAX_LEAF_SIZE, NODE_SIZE_GUESS } from '../constants.ts'
import { FetchStalledError } from '../errors.ts'
import { emit } from '../events.ts'
import { FetchWindow } from './fetch-window.ts'
import { isRefusal } from './source.ts'
import type { FetchScope } from './fetch-scope.ts'
import type { FetchSettings } from './init.ts'
import type { BlockSource, SourceBlock, SourceOptions } from './source.ts'
import type { CID } from 'multiformats/cid'

/** How many times to request a block from peers that answer that they cannot send it. */
const MAX_FAILURES = 4
/** Milliseconds after which a block that already stalled counts as stalled again. Doubles each time. */
const STALLED_AGAIN = 2500
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

/** A block that is being fetched. */
interface Attempts {
  cid: CID
  scope: FetchScope
  options: FetchOptions
  signal: AbortSignal
  /** When it was first requested. */
  started: number
  /** The index of the source that is asked. */
  source: number
  /** Set when it is given up. */
  expired?: FetchStalledError
}

/** Thrown when one attempt to fetch a block takes too long. */
class AttemptTimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/**
 * Fetches blocks from sources, which are asked one after the other. Bounds how much is requested at a time, requests
 * blocks again that do not arrive, and gives up when nothing arrives for the timeout.
 */
export class BlockFetcher {
  readonly window: FetchWindow
  readonly #sources: readonly BlockSource[]
  readonly #settings: FetchSettings

  constructor (sources: readonly BlockSource[], settings: FetchSettings) {
    this.#sources = sources
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
    const signal = anySignal([options.signal, options.until])
    const search = new AbortController()
    const attempts: Attempts = { cid, scope, options, signal, started: 0, source: 0 }
    const guess = cid.code === dagPb.code ? NODE_SIZE_GUESS : MAX_LEAF_SIZE
    let size = Math.min(options.expectedSize ?? guess, MAX_LEAF_SIZE)
    let stalls = 0
    let failures = 0

    try {
      for (;;) {
        const slot = await window.acquire(size, scope, signal)
        const started = window.now()
        attempts.started ||= started

        try {
          const block = await this.#attempt(attempts, this.#stallTime(stalls, size))
          const { bytes: { byteLength }, sender, provider, broker } = block
          slot.end(byteLength)
          scope.lastArrival = window.now()
          const duration = scope.lastArrival - started
          emit(options, 'ipfsz:fetch:block', { cid, size: byteLength, duration, sender, provider, broker })

          return block
        } catch (err) {
          signal.throwIfAborted()

          const { expired } = attempts

          if (expired != null) {
            const providers = await raceSignal(this.#countProviders(scope), signal)
            throw new FetchStalledError(cid, expired.time, { providers, cause: expired.cause })
          }

          const stalled = err instanceof AttemptTimeoutError

          if (!stalled && (!isRefused(err) || ++failures === MAX_FAILURES)) {
            throw err
          }

          // those that refused may have it by now, and after one that stalled the next one is asked
          attempts.source = stalled ? (attempts.source + 1) % this.#sources.length : 0

          if (stalled) {
            stalls++

            if (slot.overtaken()) {
              // the link is not slow: a block that no peer has must not hold up the others
              size = 0
            } else {
              window.shrink()
            }
          }

          scope.search(search.signal)
          const reason = stalled ? 'stalled' : 'failed'
          emit(options, 'ipfsz:fetch:retry', { cid, attempt: stalls + failures, reason, error: err as Error })
        } finally {
          slot.end()
        }

        await delay(Math.min(FIRST_WAIT * 2 ** (stalls + failures - 1), LONGEST_WAIT), signal)
      }
    } finally {
      search.abort()
      signal.clear()
    }
  }

  /**
   * Milliseconds after which an attempt counts as stalled. A block queued behind others gets
   * more time, but is requested again after half of the timeout, in case the request was lost.
   * It gets even more if the block alone takes that long.
   */
  #stallTime (stalls: number, size: number): number {
    const { stallTimeout, timeout } = this.#settings
    const time = stalls === 0 ? stallTimeout : Math.min(stallTimeout, STALLED_AGAIN * 2 ** (stalls - 1))
    const latest = Math.max(timeout / 2, this.window.timeOf(size) * 2)

    return Math.min(Math.max(time, Math.min(this.window.backlog * 3, latest)), timeout)
  }

  async #attempt (attempts: Attempts, stallTime: number): Promise<SourceBlock> {
    const { cid, scope, options, signal } = attempts
    const giveUp = new AbortController()
    const attempt = anySignal([signal, giveUp.signal])
    const { timeout } = this.#settings
    const time = Math.min(stallTime, timeout - this.#waited(attempts))
    const unwatch = this.#watch(time, () => {
      const err = new AttemptTimeoutError(`The block ${cid} did not arrive within ${Math.round(time)} ms`)

      if (this.#waited(attempts) >= timeout) {
        attempts.expired = new FetchStalledError(cid, timeout, { cause: err })
      }

      giveUp.abort(attempts.expired ?? err)
    })

    try {
      const block = await raceSignal(this.#ask(attempts, {
        ...options,
        root: scope.root,
        size: options.expectedSize,
        providers: [...options.providers ?? [], ...scope.providers],
        signal: attempt
      }), attempt)

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

  /** Ask the sources one after the other. */
  async #ask (attempts: Attempts, options: SourceOptions): Promise<SourceBlock> {
    for (;; attempts.source++) {
      try {
        return await this.#sources[attempts.source].fetch(attempts.cid, options)
      } catch (err) {
        options.signal.throwIfAborted()

        if (!isRefusal(err) || attempts.source + 1 === this.#sources.length) {
          throw err
        }
      }
    }
  }

  /** How many milliseconds nothing has arrived while a block is waited for. */
  #waited ({ started, scope }: Attempts): number {
    return this.window.now() - Math.max(started, scope.lastArrival)
  }

  /** Undefined: no source knows. */
  async #countProviders ({ root }: FetchScope): Promise<number | undefined> {
    const counts = await Promise.all(
      this.#sources.map(async source => source.providers?.(root).catch(() => undefined))
    )
    const known = counts.filter(count => count != null)

    return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count)
  }

  /** Call back when nothing arrived for `time`, or this block did not arrive for three times as long. */
  #watch (time: number, onStalled: () => void): () => void {
    const { window } = this
    const started = window.now()
    const left = (): number => Math.min(Math.max(started, window.lastArrival) + time, started + time * 3) - window.now()
    let timer: ReturnType<typeof setTimeout>

    const wait = (): void => {
      const rest = left()

      if (rest > 0) {
        timer = setTimeout(wait, rest)
      } else {
        onStalled()
      }
    }

    wait()

    return () => { clearTimeout(timer) }
  }
}

/** Whether Helia reports that every peer answered that it cannot send the block. */
function isRefused (err: unknown): boolean {
  return err instanceof Error && err.name === 'LoadBlockFailedError'
}
