import { StoreObjectError } from '../errors.ts'
import { KnownRounds } from './known-rounds.ts'
import { encodeOwner, LeaseWatch, pollInterval, renewalInterval } from '../protocol/lease.ts'
import { objectsOf } from '../objects/read-object.ts'
import { encodeAck, readRound } from '../protocol/round-objects.ts'
import { ackKey, collectionOf, COLLECTIONS, fenceKey, parseRoundKey, roundKey, ROUNDS } from '../protocol/store-keys.ts'
import type { Clock } from '../clock.ts'
import type { KnownRound } from './known-rounds.ts'
import type { Owner } from '../protocol/lease.ts'
import type { ObjectStore } from '../objects/object-store.ts'

/** More rounds than this at a time are not ours: a collection has one, and one that was killed leaves one. */
const MAX_ROUNDS = 100

export interface SessionRoundsInit {
  store: ObjectStore
  /** The session's ID. */
  session: string
  owner: Owner
  leaseTimeout: number
  clock: Clock
  /** Whether rounds condemn packs, which are never pardoned. */
  isFinal?: boolean | undefined
}

/** What a session does with the rounds of collections: acknowledges them, and fences those of dead collections. */
export class SessionRounds {
  readonly #init: SessionRoundsInit
  readonly #known: KnownRounds
  /** Of the collections, by the names of their rounds. */
  readonly #watches = new Map<string, LeaseWatch>()
  #lastRoundAt = -Infinity

  constructor (init: SessionRoundsInit) {
    this.#init = init
    this.#known = new KnownRounds(init)
  }

  /** Bytes of memory for the blocks that the session relies on. */
  get byteLength (): number {
    return this.#known.byteLength
  }

  /** Milliseconds until the next refresh: few while a collection works. */
  get interval (): number {
    const { clock, leaseTimeout } = this.#init
    const isBusy = this.#known.size > 0 || clock.now() - this.#lastRoundAt < leaseTimeout

    return isBusy ? pollInterval(leaseTimeout) : renewalInterval(leaseTimeout)
  }

  /** Rely on a block, unless a round condemns it. Returns whether it may. */
  rely (tail: Uint8Array): boolean {
    return this.#known.rely(tail)
  }

  /** Condemn a pack, in a round that this session has not seen yet. */
  condemn (tail: Uint8Array): void {
    this.#known.condemn(tail)
  }

  /**
   * Look which rounds there are, and acknowledge those that are new.
   *
   * @param isWaiting - whether somebody waits for a round to end
   * @throws {StoreObjectError} a round is damaged, or there are far too many
   */
  async refresh (isWaiting: boolean, signal?: AbortSignal): Promise<void> {
    const { store, clock } = this.#init
    const { rounds, fences } = await this.#list(signal)

    for (const { name } of this.#known) {
      if (!rounds.has(name)) {
        this.#known.delete(name)
        this.#watches.delete(name)
      }
    }

    for (const name of rounds) {
      const condemned = this.#known.get(name) == null ? await readRound(store, roundKey(name), signal) : undefined

      if (condemned != null) {
        this.#known.add(name, condemned)
        this.#watches.set(name, new LeaseWatch(store, `${COLLECTIONS}${collectionOf(name)}`, clock))
        this.#lastRoundAt = clock.now()
      }
    }

    for (const round of this.#known) {
      await this.#acknowledge(round, signal)
      await this.#endDead(round, fences.has(round.name), isWaiting, signal)
    }
  }

  async #list (signal: AbortSignal | undefined): Promise<{ rounds: Set<string>, fences: Set<string> }> {
    const rounds = new Set<string>()
    const fences = new Set<string>()

    for await (const { key } of objectsOf(this.#init.store, ROUNDS, signal)) {
      const { round, isFence } = parseRoundKey(key) ?? {}

      if (round != null) {
        (isFence === true ? fences : rounds).add(round)
      }

      if (rounds.size + fences.size > 2 * MAX_ROUNDS) {
        throw new StoreObjectError(key, `there are more than ${MAX_ROUNDS} rounds of garbage collections`)
      }
    }

    return { rounds, fences }
  }

  async #acknowledge (round: KnownRound, signal: AbortSignal | undefined): Promise<void> {
    if (round.unsent != null) {
      const { store, session } = this.#init
      const key = ackKey(round.name, session)
      await store.put(key, encodeAck(key, round.unsent), { signal })
      round.unsent = undefined
    }
  }

  /** Fence a round whose collection is dead, and take it as over when no delete of it can come any more. */
  async #endDead (
    round: KnownRound,
    isFenced: boolean,
    isWaiting: boolean,
    signal: AbortSignal | undefined
  ): Promise<void> {
    const { store, owner, leaseTimeout, clock } = this.#init

    if (isFenced) {
      round.fencedAt ??= clock.now()
    }

    if (round.fencedAt != null) {
      if (clock.now() - round.fencedAt >= leaseTimeout) {
        this.#known.setOver(round)
      }

      return
    }

    // somebody else may wait for it, but that one fences it too
    const unchanged = isWaiting ? await this.#watches.get(round.name)?.unchanged(signal) ?? 0 : 0

    if (unchanged >= leaseTimeout) {
      await store.put(fenceKey(round.name), encodeOwner(owner), { signal })
      round.fencedAt = clock.now()
    }
  }
}
