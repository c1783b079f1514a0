import * as dagPb from '@ipld/dag-pb'
import { anySignal } from 'any-signal'
import { raceSignal } from 'race-signal'
import { delay } from '../util/delay.ts'
import { collectBytes } from '../util/bytes.ts'
import { MAX_LEAF_SIZE, NODE_SIZE_GUESS } from '../constants.ts'
import { FetchStalledError } from '../errors.ts'
import { emit } from '../events.ts'
import { FetchWindow } from './fetch-window.ts'
import type { FetchScope } from './fetch-scope.ts'
import type { FetchSettings } from './init.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'
import type { ProgressEvent } from 'progress-events'

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

export interface FetchOptions {
  signal?: AbortSignal | null | undefined
  /** Aborted when the block is no longer needed. */
  until?: AbortSignal | undefined
  /** The block's size in bytes, if known. */
  expectedSize?: number | undefined
  onProgress?: ((event: ProgressEvent) => void) | undefined
  providers?: unknown[] | undefined
}

/** Which peer sent a block, from Helia's progress event. */
interface Sender {
  cid?: CID
  provider?: CID
  broker?: string
}

/** Thrown when one attempt to fetch a block takes too long. */
class AttemptTimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/**
 * Fetches blocks through a networked blockstore. Bounds how much is requested at a time, and
 * requests blocks again that do not arrive.
 */
export class BlockFetcher {
  readonly window: FetchWindow
  readonly #blockstore: Pick<Blockstore, 'get'>
  readonly #settings: FetchSettings

  constructor (blockstore: Pick<Blockstore, 'get'>, settings: FetchSettings) {
    this.#blockstore = blockstore
    this.#settings = settings
    this.window = new FetchWindow(settings)
  }

  /** @throws {FetchStalledError} no block of the scope arrived within the timeout */
  async fetch (cid: CID, scope: FetchScope, options: FetchOptions): Promise<Uint8Array> {
    const { window } = this
    const signal = anySignal([options.signal, options.until])
    const search = new AbortController()
    const guess = cid.code === dagPb.code ? NODE_SIZE_GUESS : MAX_LEAF_SIZE
    let size = Math.min(options.expectedSize ?? guess, MAX_LEAF_SIZE)
    let first: number | undefined
    let stalls = 0
    let failures = 0

    try {
      for (;;) {
        const slot = await window.acquire(size, scope, signal)
        const started = window.now()
        first ??= started

        try {
          const { block, sender } = await this.#attempt(cid, scope, this.#stallTime(stalls, size), signal, options)
          slot.end(block.byteLength)
          scope.lastArrival = window.now()
          const duration = scope.lastArrival - started
          emit(options, 'ipfsz:fetch:block', { cid, size: block.byteLength, duration, ...sender })

          return block
        } catch (err) {
          signal.throwIfAborted()
          const stalled = err instanceof AttemptTimeoutError

          if (!stalled && (!isRefused(err) || ++failures === MAX_FAILURES)) {
            throw err
          }

          const waited = window.now() - Math.max(first, scope.lastArrival)

          if (waited >= this.#settings.timeout) {
            throw new FetchStalledError(cid, waited, { cause: err })
          }

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

  async #attempt (
    cid: CID,
    scope: FetchScope,
    stallTime: number,
    signal: AbortSignal,
    options: FetchOptions
  ): Promise<{ block: Uint8Array, sender: Omit<Sender, 'cid'> }> {
    const giveUp = new AbortController()
    const attempt = anySignal([signal, giveUp.signal])
    const sender: Omit<Sender, 'cid'> = {}
    const unwatch = this.#watch(stallTime, () => {
      giveUp.abort(new AttemptTimeoutError(`The block ${cid} did not arrive within ${Math.round(stallTime)} ms`))
    })

    const onProgress = (event: ProgressEvent): void => {
      if (event.type === 'helia:block-broker:receive-block') {
        const { provider, broker } = (event as ProgressEvent<string, Sender>).detail ?? {}
        Object.assign(sender, { ...provider == null ? {} : { provider }, ...broker == null ? {} : { broker } })
      }

      options.onProgress?.(event)
    }

    try {
      const block = await raceSignal(collectBytes(this.#blockstore.get(cid, {
        ...options,
        signal: attempt,
        onProgress,
        providers: [...options.providers ?? [], ...scope.providers]
      } as Parameters<Blockstore['get']>[1])), attempt)

      if (sender.provider != null) {
        scope.add(sender.provider)
      }

      return { block, sender }
    } finally {
      unwatch()
      // whether it won or lost the race, stop requesting the block
      giveUp.abort()
      attempt.clear()
    }
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
