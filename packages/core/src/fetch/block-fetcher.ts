import * as dagPb from '@ipld/dag-pb'
import { delay, following } from '../util/abort.ts'
import { raceSignal } from 'race-signal'
import { concat } from '../util/bytes.ts'
import { MAX_LEAF_SIZE, NODE_SIZE_GUESS } from '../constants.ts'
import { FetchStalledError } from '../errors.ts'
import { emit } from '../events.ts'
import { FetchWindow } from './fetch-window.ts'
import type { FetchScope } from './fetch-scope.ts'
import type { FetchSettings } from './init.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'
import type { ProgressEvent } from 'progress-events'

/** How often a block is asked for of those who say at once that they cannot. */
const MAX_FAILURES = 4
/** How soon a block that stalled is taken for stalled again, in milliseconds. It doubles each time. */
const STALLED_AGAIN = 2500
/**
 * How long to wait before a block is asked for again, in milliseconds. Helia's
 * Bitswap takes 10 ms to forget that it has asked, and does not ask until then.
 */
const FIRST_WAIT = 250
const LONGEST_WAIT = 1000

export interface FetchOptions {
  signal?: AbortSignal | null | undefined
  /** Aborted when nobody will take the block. */
  until?: AbortSignal | undefined
  /** Its bytes, where they are known. */
  expectedSize?: number | undefined
  onProgress?: ((event: ProgressEvent) => void) | undefined
  providers?: unknown[] | undefined
}

/** Who sent a block, as Helia's events have it. */
interface Sender {
  cid?: CID
  provider?: CID
  broker?: string
}

/** A time that is over. */
class GivenUpError extends Error {
  override readonly name = 'TimeoutError'
}

/** Fetches blocks of a blockstore that asks others for them, no more at one time than arrive, and again where they do not. */
export class BlockFetcher {
  readonly window: FetchWindow
  readonly #blockstore: Pick<Blockstore, 'get'>
  readonly #settings: FetchSettings

  constructor (blockstore: Pick<Blockstore, 'get'>, settings: FetchSettings) {
    this.#blockstore = blockstore
    this.#settings = settings
    this.window = new FetchWindow(settings)
  }

  /**
   * @throws {FetchStalledError} no block of the scope arrived within the timeout
   */
  async fetch (cid: CID, scope: FetchScope, options: FetchOptions): Promise<Uint8Array> {
    const { window } = this
    const { controller: { signal }, unfollow } = following(options.signal, options.until)
    const search = new AbortController()
    let size = Math.min(options.expectedSize ?? (cid.code === dagPb.code ? NODE_SIZE_GUESS : MAX_LEAF_SIZE), MAX_LEAF_SIZE)
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
          emit(options, 'ipfsz:fetch:block', { cid, size: block.byteLength, duration: scope.lastArrival - started, ...sender })

          return block
        } catch (err) {
          signal.throwIfAborted()
          const stalled = err instanceof GivenUpError

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
              // it is not the link that is slow, and what nobody has must not hold up the rest
              size = 0
            } else {
              window.shrink()
            }
          }

          scope.search(search.signal)
          emit(options, 'ipfsz:fetch:retry', { cid, attempt: stalls + failures, reason: stalled ? 'stalled' : 'failed', error: err as Error })
        } finally {
          slot.end()
        }

        await delay(Math.min(FIRST_WAIT * 2 ** (stalls + failures - 1), LONGEST_WAIT), signal)
      }
    } finally {
      search.abort()
      unfollow()
    }
  }

  /**
   * When a block has stalled. What waits for all that was asked for before it is asked
   * for again by half of the whole time, as what was lost never comes: unless by itself
   * it takes that long.
   */
  #stallTime (stalls: number, size: number): number {
    const { stallTimeout, timeout } = this.#settings
    const time = stalls === 0 ? stallTimeout : Math.min(stallTimeout, STALLED_AGAIN * 2 ** (stalls - 1))
    const latest = Math.max(timeout / 2, this.window.timeOf(size) * 2)

    return Math.min(Math.max(time, Math.min(this.window.backlog * 3, latest)), timeout)
  }

  async #attempt (cid: CID, scope: FetchScope, stallTime: number, signal: AbortSignal, options: FetchOptions): Promise<{ block: Uint8Array, sender: Omit<Sender, 'cid'> }> {
    const { controller, unfollow } = following(signal)
    const sender: Omit<Sender, 'cid'> = {}
    const unwatch = this.#watch(stallTime, () => {
      controller.abort(new GivenUpError(`The block ${cid} did not arrive within ${Math.round(stallTime)} ms`))
    })

    const onProgress = (event: ProgressEvent): void => {
      if (event.type === 'helia:block-broker:receive-block') {
        const { provider, broker } = (event as ProgressEvent<string, Sender>).detail ?? {}
        Object.assign(sender, { ...provider == null ? {} : { provider }, ...broker == null ? {} : { broker } })
      }

      options.onProgress?.(event)
    }

    try {
      const block = await raceSignal(collect(this.#blockstore.get(cid, {
        ...options,
        signal: controller.signal,
        onProgress,
        providers: [...options.providers ?? [], ...scope.providers]
      } as Parameters<Blockstore['get']>[1])), controller.signal)

      if (sender.provider != null) {
        scope.add(sender.provider)
      }

      return { block, sender }
    } finally {
      unwatch()
      unfollow()
      // whoever lost, nothing is asked for any more
      controller.abort()
    }
  }

  /** Call back when nothing has arrived for a time, or not this for three times as long. */
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

/** Whether those who were asked said that they cannot send a block, as Helia tells it. */
function isRefused (err: unknown): boolean {
  return err instanceof Error && err.name === 'LoadBlockFailedError'
}

async function collect (source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []

  for await (const chunk of source) {
    chunks.push(chunk)
  }

  return concat(chunks)
}
