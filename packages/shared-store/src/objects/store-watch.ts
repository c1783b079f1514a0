import { messageOf } from '@ipfsz/utils/message-of'
import { StoreAwayError, StoreMissingError } from '../errors.ts'
import { backgroundClock } from '../clock.ts'
import { isStoreAway } from './store-away.ts'
import type { Clock } from '../clock.ts'

/** After how long without an answer a reader looks whether the store answers anything, in milliseconds. */
const PATIENCE = 1000
/** How long such a look may take, in milliseconds. */
const LOOK_TIMEOUT = 4000
/** How often it is looked again while readers still wait for a store that answers, in milliseconds. */
const LOOK_AGAIN = 5000
/** How often a store is looked at that is away, in milliseconds. */
const INTERVAL = 1000

export interface StoreWatchInit {
  /** The store, for messages. */
  name: string
  /** Whether it is asked over the network, for messages. */
  isRemote: boolean
  /** The status with which the store refused the last look, because it is overloaded. Undefined if it did not. */
  refusal?: () => number | undefined
  /**
   * Ask the store for something small, once.
   *
   * @throws {Error} it did not answer
   */
  look: (signal: AbortSignal) => Promise<unknown>
  /** @default that of the system. Its timers do not keep the process alive */
  clock?: Clock
}

/**
 * Knows whether a store answers, so that nobody waits for one that does not: a request is sent again for minutes, as
 * long as an add may wait, which is too long for who reads.
 *
 * A store is away if a look at it fails while nobody else receives anything, or finds no store: a slow one is not.
 * Readers that wait then get `StoreAwayError`, and so do new ones at once, until a look succeeds.
 */
export class StoreWatch {
  /** Called when the store is found to be away, with why, and without when it is back. */
  onChange: ((away: StoreAwayError | undefined) => void) | undefined
  readonly #init: StoreWatchInit
  readonly #clock: Clock
  /** End the waiting of those who read. */
  readonly #readers = new Set<(reason: Error) => void>()
  /** When something was answered last. */
  #answered = -Infinity
  #looking: Promise<void> | undefined
  /** A look that has not ended, be it given up: a file system that hangs keeps a thread of Node for each. */
  #asking: Promise<unknown> | undefined
  #cancelNext = (): void => {}
  #away: StoreAwayError | undefined

  constructor (init: StoreWatchInit) {
    this.#init = init
    this.#clock = init.clock ?? backgroundClock
  }

  /** Why the store counts as away. Undefined: it does not. */
  get away (): StoreAwayError | undefined {
    return this.#away
  }

  /**
   * Read something from the store.
   *
   * @throws {StoreAwayError} it does not answer
   * @throws the reason of the signal, and what `work` throws
   */
  async read<T> (work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal | null): Promise<T> {
    signal?.throwIfAborted()

    if (this.#away != null) {
      throw this.#away
    }

    const unwanted = new AbortController()
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const end = (reason: Error): void => {
      reject(reason)
      unwanted.abort(reason)
    }
    const lookAfter = (milliseconds: number): () => void => this.#clock.after(milliseconds, () => {
      cancel = lookAfter(LOOK_AGAIN)
      this.#doubt()
    })
    let cancel = lookAfter(PATIENCE)

    this.#readers.add(end)

    try {
      const either = signal == null ? unwanted.signal : AbortSignal.any([signal, unwanted.signal])
      const result = await Promise.race([work(either), ended])
      this.heard()

      return result
    } catch (err) {
      if (isStoreAway(err)) {
        this.#doubt()
      }

      throw err
    } finally {
      cancel()
      this.#readers.delete(end)
    }
  }

  /** The store has sent something, whoever asked for it: so it is slow at most. */
  readonly heard = (): void => {
    this.#answered = this.#clock.now()
  }

  /**
   * Look at the store now.
   *
   * @throws {StoreAwayError} it does not answer
   */
  async check (): Promise<void> {
    await (this.#looking ??= this.#look().finally(() => { this.#looking = undefined }))

    if (this.#away != null) {
      throw this.#away
    }
  }

  /** Look at the store, unless it is known how it is. */
  #doubt (): void {
    if (this.#away == null && this.#clock.now() - this.#answered >= PATIENCE) {
      this.check().catch(() => {
        // all readers have been told
      })
    }
  }

  /** Never rejects. */
  async #look (): Promise<void> {
    const begin = this.#clock.now()
    const late = new AbortController()
    const cancel = this.#clock.after(LOOK_TIMEOUT, () => {
      late.abort(new Error(`${this.#silence()} within ${LOOK_TIMEOUT / 1000} s`))
    })

    try {
      this.#asking ??= this.#init.look(late.signal).finally(() => { this.#asking = undefined })
      await Promise.race([this.#asking, rejected(late.signal)])
      this.heard()
      this.#set(undefined)
    } catch (err) {
      // it is only slow if others get answers, unless these come from an empty place
      if (this.#answered < begin || err instanceof StoreMissingError) {
        this.#set(new StoreAwayError(this.#init.name, messageOf(err), { cause: err }))
      }
    } finally {
      cancel()
    }
  }

  /** What there was in place of an answer. */
  #silence (): string {
    const { isRemote, refusal } = this.#init
    const status = refusal?.()

    return status == null
      ? `no answer${isRemote ? ' over the network' : ''}`
      : `the store only answered ${status}`
  }

  #set (away: StoreAwayError | undefined): void {
    const isNews = (this.#away == null) !== (away == null)
    this.#away = away

    if (away != null) {
      this.#readers.forEach(end => { end(away) })
      this.#cancelNext()
      this.#cancelNext = this.#clock.after(INTERVAL, () => { this.check().catch(() => {}) })
    }

    if (isNews) {
      this.onChange?.(away)
    }
  }
}

/** Rejects when the signal aborts: a file system that hangs does not look at it. */
async function rejected (signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => { reject(signal.reason as Error) }, { once: true })
  })
}
