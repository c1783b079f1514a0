import { StoreObjectError } from '../errors.ts'
import { KnownRounds } from './known-rounds.ts'
import { pollInterval, renewalInterval } from '../protocol/lease.ts'
import { objectsOf } from '../objects/read-object.ts'
import { encodeAck, readRound } from '../protocol/round-objects.ts'
import { ackKey, parseRoundKey, roundKey, ROUNDS, sessionOfRound } from '../protocol/store-keys.ts'
import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'

/** More rounds than this at a time are not ours: a collection has one, and one that was killed leaves one. */
const MAX_ROUNDS = 100

export interface SessionRoundsInit {
  store: ObjectStore
  /** The session's ID. */
  session: string
  leaseTimeout: number
  clock: Clock
}

/** What a session does with the rounds of collections: it acknowledges them. */
export class SessionRounds {
  readonly #init: SessionRoundsInit
  readonly #known = new KnownRounds()
  #lastRoundAt = -Infinity

  constructor (init: SessionRoundsInit) {
    this.#init = init
  }

  /** Milliseconds until the next refresh: few while a collection works. */
  get interval (): number {
    const { clock, leaseTimeout } = this.#init

    return clock.now() - this.#lastRoundAt < leaseTimeout ? pollInterval(leaseTimeout) : renewalInterval(leaseTimeout)
  }

  /** The names of the rounds that the last refresh has found. */
  get names (): string[] {
    return Array.from(this.#known, ({ name }) => name)
  }

  /** Rely on a pack, unless a round condemns it. @returns whether it may */
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
   * @throws {StoreObjectError} a round is damaged, or there are far too many
   */
  async refresh (signal?: AbortSignal): Promise<void> {
    const { store, clock } = this.#init
    const rounds = await this.#list(signal)

    for (const { name } of this.#known) {
      if (!rounds.has(name)) {
        this.#known.delete(name)
      }
    }

    for (const name of rounds) {
      const condemned = this.#known.has(name) ? undefined : await readRound(store, roundKey(name), signal)

      if (condemned != null) {
        this.#known.add(name, condemned)
        this.#lastRoundAt = clock.now()
      }
    }

    for (const round of this.#known) {
      if (round.unsent != null) {
        const key = ackKey(round.name, this.#init.session)
        await store.put(key, encodeAck(key, round.unsent), { signal })
        round.unsent = undefined
      }
    }
  }

  async #list (signal: AbortSignal | undefined): Promise<Set<string>> {
    const rounds = new Set<string>()

    for await (const { key } of objectsOf(this.#init.store, ROUNDS, signal)) {
      const round = parseRoundKey(key)
      // its own needs no answer
      const isForeign = round != null && sessionOfRound(round) !== this.#init.session

      if (isForeign && rounds.add(round).size > MAX_ROUNDS) {
        throw new StoreObjectError(key, `there are more than ${MAX_ROUNDS} rounds of garbage collections`)
      }
    }

    return rounds
  }
}
