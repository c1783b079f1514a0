import { choosePacks } from '@ipfsz/blockstore-packed/whole'
import { systemClock } from '../clock.ts'
import { putOnce } from '../objects/put-once.ts'
import { tailOfPack } from '../packs/pack-keys.ts'
import { encodeRound, MAX_CONDEMNED } from '../protocol/round-objects.ts'
import { newId, roundKey, roundName } from '../protocol/store-keys.ts'
import { StoreSession } from '../sessions/store-session.ts'
import { clearSessions } from './clear-sessions.ts'
import { CollectionLease } from './collection-lease.ts'
import { completeRound } from './condemned-round.ts'
import { answersOf, cleanUp, readRounds } from './left-rounds.ts'
import { livingOwners } from './living-owners.ts'
import type { Clock } from '../clock.ts'
import type { StoredPack } from '../packs/pack-keys.ts'
import type { CollectionEvent, CollectionInit, CollectionResult, CollectOptions, StoredPin } from './collection.ts'
import type { CondemnedRound } from './condemned-round.ts'

/** The share of all bytes that may stay unused in packs. */
const DEFAULT_MAX_UNUSED = 0.05
/** How many packs a round copies from at most: what is needed of them is listed in memory. */
const MAX_COPIED = 64

/**
 * Delete the packs of a shared store of which no pin reaches anything and on which no session relies, and copy what is
 * needed of those that are mostly unused, while other nodes add. docs/shared-store.md says how.
 *
 * @throws {CollectionRunningError} another collection runs on the store
 * @throws {CollectionLostError} the process stood still for so long that others took it for dead
 * @throws {SilentSessionError} a session lives, and does not answer
 * @throws {StoreObjectError} an object of a session is damaged
 */
export async function collect<Pin extends StoredPin> (
  init: CollectionInit<Pin>,
  { signal, dryRun = false, onProgress = () => {} }: CollectOptions
): Promise<CollectionResult> {
  const { store, leaseTimeout, clock = systemClock } = init

  if (dryRun) {
    return new Packs({ ...init, clock }, undefined, signal, onProgress).count()
  }

  const lease = new CollectionLease(store, leaseTimeout, clock)
  let session: StoreSession | undefined

  try {
    // a collection that may not delete must not leave objects behind
    await store.delete([roundKey(roundName(newId(), 0))], { signal })
    const dead = await lease.start(signal, () => { onProgress({ type: 'others' }) })
    await clearSessions({
      store, leaseTimeout, clock, onClearing (dead) { onProgress({ type: 'clearing', dead }) }
    }, signal)
    session = await StoreSession.open(store, { leaseTimeout, command: 'gc', clock }, { signal })
    const result = await new Packs({ ...init, clock }, session, signal, onProgress).run()
    await cleanUp(store, { own: session.id, dead }, signal)

    return result
  } finally {
    await session?.end()
    await lease.end().catch(() => { /* its object does no harm */ })
  }
}

class Packs<Pin extends StoredPin> {
  readonly #init: CollectionInit<Pin> & { clock: Clock }
  /** Undefined in a dry run. */
  readonly #session: StoreSession | undefined
  readonly #signal: AbortSignal
  readonly #onProgress: (event: CollectionEvent) => void
  readonly #walked = new Set<string>()
  readonly #result: CollectionResult = {
    pins: 0, kept: 0, removed: 0, removedSize: 0, rounds: 0, fenced: 0, left: 0
  }

  constructor (
    init: CollectionInit<Pin> & { clock: Clock },
    session: StoreSession | undefined,
    signal: AbortSignal,
    onProgress: (event: CollectionEvent) => void
  ) {
    this.#init = init
    this.#session = session
    this.#signal = signal
    this.#onProgress = event => {
      this.#result.fenced += event.type === 'fenced' ? 1 : 0
      onProgress(event)
    }
  }

  /** Count what pins do not reach. */
  async count (): Promise<CollectionResult> {
    await this.#init.storage.catalog.refresh(this.#signal)
    await this.#walkNewPins()
    await this.#live(new Map())

    return this.#result
  }

  async run (): Promise<CollectionResult> {
    const { store, storage, beforeRounds } = this.#init

    await storage.catalog.refresh(this.#signal)
    // in this order: what is listed, and whose session has ended, is pinned by now, or never will be
    const listed = Array.from(storage.catalog.packs.values())
    const rounds = await readRounds(store, (this.#session as StoreSession).rounds, this.#signal)
    const objectors = await answersOf(store, rounds, this.#signal)
    const others = [...listed.map(({ session }) => session), ...objectors].filter(id => id !== this.#session?.id)
    const running = await livingOwners({
      ...this.#init, sessions: others, onFenced: owner => { this.#onProgress({ type: 'fenced', owner }) }
    }, this.#signal)
    await this.#walkNewPins()
    await beforeRounds?.({ pins: this.#walked.size })

    for (const round of rounds) {
      await this.#complete(round)
    }

    await this.#condemn(listed.filter(({ session }) => !running.has(session)))

    return this.#result
  }

  /** Condemn what is unused, a part at a time. */
  async #condemn (listed: readonly StoredPack[]): Promise<void> {
    const { store, storage, clock, maxUnused = DEFAULT_MAX_UNUSED } = this.#init
    const { catalog } = storage
    const { id: session } = this.#session as StoreSession
    const condemned = new Set<string>()
    let numbers = 0

    for (;;) {
      const live = new Map<string, number>()
      await this.#live(live)
      const packs = listed.filter(({ id }) => !condemned.has(id) && catalog.packs.has(id) && catalog.knows(id))
        .map(({ id }) => ({ id, size: catalog.bytesOf(id), live: shareOf(live.get(id), catalog.bytesOf(id)) }))
        .map(pack => ({ ...pack, isSealed: true }))
      // with copies: what is left of the listed ones is not all
      const size = Array.from(catalog.packs.keys(), id => catalog.bytesOf(id)).reduce((sum, size) => sum + size, 0)
      const chosen = choosePacks({ packs, size }, maxUnused, storage.packSize)
      const dead = chosen.filter(id => !live.has(id)).slice(0, MAX_CONDEMNED - MAX_COPIED)
      const ids = [...dead, ...chosen.filter(id => live.has(id)).slice(0, MAX_COPIED)]

      if (ids.length === 0) {
        return
      }

      ids.forEach(id => condemned.add(id))
      const tails = ids.map(tailOfPack)
      const { name } = await putOnce(store, () => {
        const name = roundName(session, numbers++)

        return { name, key: roundKey(name), bytes: encodeRound(roundKey(name), tails) }
      }, { clock, signal: this.#signal })
      this.#onProgress({ type: 'round', condemned: ids.length })
      await this.#complete({ name, tails })
    }
  }

  async #complete (round: CondemnedRound): Promise<void> {
    const session = this.#session

    if (session != null) {
      const { removed, removedSize, left } = await completeRound({
        ...this.#init,
        session,
        walkNewPins: async () => this.#walkNewPins(),
        onProgress: this.#onProgress
      }, round, this.#signal)
      this.#result.rounds++
      this.#result.removed += removed
      this.#result.removedSize += removedSize
      this.#result.left += left
    }
  }

  /** Add to each pack the bytes of its blocks that pins reach. A block that is in several packs counts for one. */
  async #live (live: Map<string, number>): Promise<void> {
    const { storage, reached } = this.#init
    let [kept, removed, removedSize] = [0, 0, 0]

    for await (const blocks of storage.catalog.blocks()) {
      this.#signal.throwIfAborted()

      for (const { key, rows } of blocks) {
        if (reached.has(key.bytes)) {
          const [{ pack, length }] = rows.toSorted((a, b) => (a.pack < b.pack ? -1 : 1))
          live.set(pack, (live.get(pack) ?? 0) + length)
          kept++
        } else {
          removed++
          removedSize += rows[0].length
        }
      }
    }

    if (this.#session == null) {
      Object.assign(this.#result, { removed, removedSize })
    }

    this.#result.kept = kept
    this.#result.pins = this.#walked.size
    this.#onProgress({ type: 'listed', blocks: kept + removed, candidates: removed })
  }

  async #walkNewPins (): Promise<void> {
    const { readPins, walk } = this.#init

    for await (const pin of readPins({ signal: this.#signal, isWalked: id => this.#walked.has(id) })) {
      if (!this.#walked.has(pin.id)) {
        for await (const _ of walk(pin, { signal: this.#signal })) {
          this.#signal.throwIfAborted()
          this.#onProgress({ type: 'walked', blocks: 1 })
        }

        this.#walked.add(pin.id)
      }
    }
  }
}

function shareOf (part = 0, all: number): number {
  return all === 0 ? 0 : part / all
}
