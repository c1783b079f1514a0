import { hostname } from 'node:os'
import { SessionLostError, StoreObjectError } from '../errors.ts'
import { sleep, systemClock } from '../clock.ts'
import { encodeOwner, renewalInterval } from '../protocol/lease.ts'
import { putOnce } from '../objects/put-once.ts'
import { hasObject } from '../objects/read-object.ts'
import { SessionRounds } from './session-rounds.ts'
import { LEASES, newId, SESSIONS } from '../protocol/store-keys.ts'
import type { Clock } from '../clock.ts'
import type { Owner } from '../protocol/lease.ts'
import type { AbortOptions, ObjectStore } from '../objects/object-store.ts'

/**
 * After so many timeouts in which it could not learn which collections run, a session lets its lease end: collections
 * wait for every session that has one.
 */
const MAX_BLIND = 4

export interface StoreSessionInit {
  /** Milliseconds after which others take a process for dead whose lease does not change. The store's mark says it. */
  leaseTimeout: number
  /** What the process does, for people: `add`. */
  command: string
  /** Called with what went wrong in the background. The session goes on: the store may come back. */
  onError?: (err: unknown) => void
  clock?: Clock | undefined
}

/**
 * Protects what a process adds or pins in a shared store from collections that other nodes run: a collection deletes
 * no pack that a session relies on. docs/shared-store.md says how. Open a session before anything is added, and add
 * through `PackStorage.forSession`, which relies on packs by itself. Call `confirm` before the pins are written, and
 * after that before anything is acknowledged. End it at last.
 */
export class StoreSession {
  /** In the keys of its objects. */
  readonly id = newId()
  readonly #store: ObjectStore
  readonly #clock: Clock
  readonly #onError: (err: unknown) => void
  readonly #owner: Owner
  readonly #rounds: SessionRounds
  /** Aborted when the session ends or is lost. */
  readonly #over = new AbortController()
  #loops: Promise<unknown> = Promise.resolve()
  readonly #leaseTimeout: number
  #renewed = 0
  /** When the lease was renewed, or the session was made. */
  #renewedAt: number
  /** When the last look at the rounds began that was answered. */
  #refreshed = 0
  /** Why no call may go on. */
  #failure: Error | undefined

  private constructor (store: ObjectStore, init: StoreSessionInit) {
    this.#store = store
    this.#clock = init.clock ?? systemClock
    this.#renewedAt = this.#clock.now()
    this.#leaseTimeout = init.leaseTimeout
    this.#onError = init.onError ?? (() => {})
    this.#owner = { command: init.command, host: hostname(), pid: process.pid }
    this.#rounds = new SessionRounds({
      store,
      session: this.id,
      leaseTimeout: init.leaseTimeout,
      clock: this.#clock
    })
  }

  static async open (
    store: ObjectStore,
    init: StoreSessionInit,
    { signal }: AbortOptions = {}
  ): Promise<StoreSession> {
    // before the rounds are listed: a collection writes its round, then lists sessions, so one sees the other
    const { session } = await putOnce(store, () => {
      const session = new StoreSession(store, init)

      return { session, key: session.#key, bytes: encodeOwner(session.#owner) }
    }, { clock: init.clock ?? systemClock, signal })

    try {
      await session.#refresh(signal)
    } catch (err) {
      await session.end()
      throw err
    }

    session.#loops = Promise.all([
      session.#repeat(() => renewalInterval(init.leaseTimeout), async signal => session.#renew(signal)),
      session.#repeat(() => session.#rounds.interval, async signal => session.#refresh(signal))
    ])

    return session
  }

  /** The names of the rounds that it has seen, but for those that are over, and of a collection in this session. */
  get rounds (): string[] {
    return this.#rounds.names
  }

  /**
   * Rely on a pack, unless a collection has condemned it: then its blocks count as missing, and are stored again.
   *
   * @param tail - of the pack's ID
   * @returns whether it may
   * @throws {SessionLostError} a collection took the session for dead
   */
  relyOnPack (tail: Uint8Array): boolean {
    this.#throwIfOver()

    return this.#rounds.rely(tail)
  }

  /** Never rely on packs that a collection of this process condemns. */
  condemnPacks (tails: Iterable<Uint8Array>): void {
    for (const tail of tails) {
      this.#rounds.condemn(tail)
    }
  }

  /**
   * Look whether the session still protects its blocks. Before the pins are written, this saves incomplete pins; after
   * that it decides whether they may be acknowledged. If they may not, leave them: another session may have pinned the
   * same CIDs.
   *
   * @throws {SessionLostError} a collection took it for dead: nothing may be acknowledged
   */
  async confirm ({ signal }: AbortOptions = {}): Promise<void> {
    this.#throwIfOver()

    if (!await hasObject(this.#store, this.#key, signal)) {
      this.#fail(new SessionLostError(this.#key))
    }

    this.#throwIfOver()
  }

  /** End the session, after its last pin. Never rejects: if the store is away, the next collection cleans up. */
  async end (): Promise<void> {
    this.#fail(new Error('the session has ended'))
    await this.#loops

    try {
      await this.#store.delete([this.#key, ...this.#renewed > 0 ? [`${LEASES}${this.id}`] : []])
    } catch (err) {
      this.#onError(err)
    }
  }

  get #key (): string {
    return `${SESSIONS}${this.id}`
  }

  /** Do something in the background after each interval. Most adds end before the first one, and write no lease. */
  async #repeat (interval: () => number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#over

    while (true) {
      await sleep(this.#clock, interval(), signal).catch(() => {})

      if (signal.aborted) {
        return
      }

      try {
        await work(signal)
      } catch (err) {
        if (err instanceof StoreObjectError) {
          this.#fail(err)
        } else if (!signal.aborted) {
          this.#onError(err)
        }
      }
    }
  }

  /**
   * Renew the lease, unless this session keeps collections waiting without knowing it. Its object is not the session's:
   * a session that was fenced must not come back by renewing.
   */
  async #renew (signal: AbortSignal): Promise<void> {
    if (this.#clock.now() - this.#refreshed >= MAX_BLIND * this.#leaseTimeout) {
      throw new Error('the store does not list running garbage collections, so the lease of this process may expire')
    }

    const lease = encodeOwner({ ...this.#owner, renewed: ++this.#renewed })
    await this.#store.put(`${LEASES}${this.id}`, lease, { signal })
    const now = this.#clock.now()
    // others take only one for dead whose lease has not changed for the timeout
    const isLate = now - this.#renewedAt >= this.#leaseTimeout / 2
    this.#renewedAt = now

    if (isLate && !await hasObject(this.#store, this.#key, signal)) {
      this.#fail(new SessionLostError(this.#key))
    }
  }

  async #refresh (signal?: AbortSignal): Promise<void> {
    const begin = this.#clock.now()
    await this.#rounds.refresh(signal)
    this.#refreshed = begin
  }

  #fail (reason: Error): void {
    this.#failure ??= reason
    this.#over.abort(this.#failure)
  }

  #throwIfOver (): void {
    if (this.#failure != null) {
      throw this.#failure
    }
  }
}
