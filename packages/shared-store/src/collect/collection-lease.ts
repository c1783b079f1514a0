import { hostname } from 'node:os'
import { CollectionRunningError } from '../errors.ts'
import { sleep } from '../clock.ts'
import { describeOwner, encodeOwner, LeaseWatch, pollInterval, renewalInterval } from '../protocol/lease.ts'
import { objectsOf } from '../objects/read-object.ts'
import { COLLECTIONS, newId, parseIdKey } from '../protocol/store-keys.ts'
import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'

type CollectionState = 'starting' | 'running'

/**
 * The object that says that a collection lives. Two collections on one store are safe; one gives way because the same
 * work would be done twice.
 */
export class CollectionLease {
  readonly id = newId()
  readonly #store: ObjectStore
  readonly #leaseTimeout: number
  readonly #clock: Clock
  readonly #over = new AbortController()
  #state: CollectionState = 'starting'
  #renewed = 0
  #renewals: Promise<void> = Promise.resolve()

  constructor (store: ObjectStore, leaseTimeout: number, clock: Clock) {
    this.#store = store
    this.#leaseTimeout = leaseTimeout
    this.#clock = clock
  }

  /**
   * Write the object, and keep it alive, once no other collection runs.
   *
   * @param onWaiting - called when it is not known yet whether another one is dead
   * @returns the IDs of collections that are dead
   * @throws {CollectionRunningError} another one runs, or begins now and has the smaller ID
   */
  async start (signal: AbortSignal, onWaiting: () => void): Promise<string[]> {
    await this.#write(signal)
    this.#renewals = this.#renewAgain()
    const dead = await this.#waitForOthers(signal, onWaiting)
    this.#state = 'running'
    await this.#write(signal)

    return dead
  }

  async end (): Promise<void> {
    this.#over.abort(new Error('the collection has ended'))
    await this.#renewals
    await this.#store.delete([`${COLLECTIONS}${this.id}`])
  }

  async #waitForOthers (signal: AbortSignal, onWaiting: () => void): Promise<string[]> {
    const watches = new Map<string, LeaseWatch>()

    while (true) {
      const others: string[] = []

      for await (const { key } of objectsOf(this.#store, COLLECTIONS, signal)) {
        const id = parseIdKey(COLLECTIONS, key)

        if (id != null && id !== this.id) {
          others.push(id)
        }
      }

      const dead: string[] = []

      for (const id of others) {
        const watch = watches.get(id) ?? new LeaseWatch(this.#store, `${COLLECTIONS}${id}`, this.#clock)
        const isNew = !watches.has(id)
        watches.set(id, watch)
        const before = watch.text
        const unchanged = await watch.unchanged(signal)

        if (unchanged >= this.#leaseTimeout) {
          dead.push(id)
        } else if (!isNew && watch.text !== '' && watch.text !== before && !this.#goesFirst(id, watch.text)) {
          // it has just renewed its lease
          throw new CollectionRunningError(describeOwner(watch.text))
        }
      }

      if (dead.length === others.length) {
        return dead
      }

      onWaiting()
      await sleep(this.#clock, pollInterval(this.#leaseTimeout), signal)
    }
  }

  /** Whether this collection goes on beside one that has not given way yet. */
  #goesFirst (other: string, text: string): boolean {
    return this.id < other && text.includes('"state":"starting"')
  }

  async #renewAgain (): Promise<void> {
    const { signal } = this.#over

    while (!signal.aborted) {
      await sleep(this.#clock, renewalInterval(this.#leaseTimeout), signal).catch(() => {})

      if (!signal.aborted) {
        // the next one may succeed, and if none does, others fence the round
        await this.#write(signal).catch(() => {})
      }
    }
  }

  async #write (signal: AbortSignal): Promise<void> {
    const lease = { command: 'gc', host: hostname(), pid: process.pid, state: this.#state, renewed: ++this.#renewed }
    await this.#store.put(`${COLLECTIONS}${this.id}`, encodeOwner(lease), { signal })
  }
}
