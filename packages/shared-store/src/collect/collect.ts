import { cleanUp } from './clean-up.ts'
import { clearSessions } from './clear-sessions.ts'
import { systemClock } from '../clock.ts'
import { CollectionLease } from './collection-lease.ts'
import { MAX_CONDEMNED } from '../protocol/round-objects.ts'
import { runRound } from './round.ts'
import { newId, roundKey, roundName } from '../protocol/store-keys.ts'
import type { CollectionEvent, CollectionInit, CollectionResult, StoredBlock, StoredPin } from './collection.ts'

/** Maximum number of blocks that are deleted at a time, so that a slow store manages it within half the timeout. */
const DEFAULT_BATCH_SIZE = 1000

export interface CollectOptions {
  signal: AbortSignal
  /** Count the blocks, but delete nothing, and write nothing into the store. */
  dryRun?: boolean
  onProgress?: (event: CollectionEvent) => void
}

/**
 * Delete the blocks of a shared store that no pin reaches and no session relies on, while other nodes add.
 * docs/shared-store.md says how, and what it assumes.
 *
 * Memory: what `walk` keeps, the IDs of the pins, and one round of blocks.
 *
 * @throws {CollectionRunningError} another collection runs on the store
 * @throws {CollectionLostError} the process stood still for so long that others took it for dead
 * @throws {SilentSessionError} a session lives, and does not answer
 * @throws {StoreObjectError} an object of a session is damaged
 */
export async function collect<Pin extends StoredPin, Block extends StoredBlock> (
  init: CollectionInit<Pin, Block>,
  { signal, dryRun = false, onProgress = () => {} }: CollectOptions
): Promise<CollectionResult> {
  const { store, leaseTimeout, clock = systemClock } = init
  const lease = dryRun ? undefined : new CollectionLease(store, leaseTimeout, clock)

  try {
    if (lease != null) {
      // A collection that may not delete must not leave objects behind, for whose end others would wait. The name is of
      // no round: a request that was sent again could still come while a round of that name runs, and end it
      await store.delete([roundKey(roundName(newId(), 0))], { signal })
      const onWaiting = (): void => { onProgress({ type: 'others' }) }
      const dead = await lease.start(signal, onWaiting)
      const onClearing = (dead: number): void => { onProgress({ type: 'clearing', dead }) }
      await clearSessions({ store, leaseTimeout, clock, onClearing }, signal)
      const objects = await cleanUp({ store, own: lease.id, dead, leaseTimeout, clock, onWaiting }, signal)

      if (objects > 0) {
        onProgress({ type: 'cleaned', objects })
      }
    }

    return await new Collection({ ...init, clock }, lease?.id, signal, onProgress).run()
  } finally {
    // the collection has done its work, or failed for another reason: its object does no harm
    await lease?.end().catch(() => {})
  }
}

class Collection<Pin extends StoredPin, Block extends StoredBlock> {
  readonly #init: CollectionInit<Pin, Block> & Required<Pick<CollectionInit, 'clock'>>
  /** Undefined in a dry run. */
  readonly #id: string | undefined
  readonly #signal: AbortSignal
  readonly #onProgress: (event: CollectionEvent) => void
  readonly #walked = new Set<string>()
  #numbers = 0
  readonly #result: CollectionResult = { pins: 0, kept: 0, removed: 0, removedSize: 0, rounds: 0, fenced: 0 }

  constructor (
    init: CollectionInit<Pin, Block> & Required<Pick<CollectionInit, 'clock'>>,
    id: string | undefined,
    signal: AbortSignal,
    onProgress: (event: CollectionEvent) => void
  ) {
    this.#init = init
    this.#id = id
    this.#signal = signal
    this.#onProgress = event => {
      this.#result.fenced += event.type === 'fenced' ? 1 : 0
      onProgress(event)
    }
  }

  async run (): Promise<CollectionResult> {
    const { blocks, reached, roundSize = MAX_CONDEMNED, beforeRounds } = this.#init
    await this.#walkNewPins()
    await beforeRounds?.({ pins: this.#walked.size })
    let candidates: Block[] = []

    for await (const page of blocks.list({ signal: this.#signal })) {
      this.#signal.throwIfAborted()
      const unreached = page.filter(({ multihash }) => !reached.has(multihash))
      this.#result.kept += page.length - unreached.length
      this.#onProgress({ type: 'listed', blocks: page.length, candidates: unreached.length })

      for (const block of unreached) {
        candidates.push(block)

        if (candidates.length === Math.min(roundSize, MAX_CONDEMNED)) {
          await this.#condemn(candidates)
          candidates = []
        }
      }
    }

    if (candidates.length > 0) {
      await this.#condemn(candidates)
    }

    return { ...this.#result, pins: this.#walked.size }
  }

  async #condemn (condemned: readonly Block[]): Promise<void> {
    const removed = this.#id == null ? condemned : await runRound({
      ...this.#init,
      batchSize: this.#init.batchSize ?? DEFAULT_BATCH_SIZE,
      collection: this.#id,
      nextNumber: () => this.#numbers++,
      condemned,
      walkNewPins: async () => this.#walkNewPins(),
      onProgress: this.#onProgress
    }, this.#signal)

    this.#result.rounds += this.#id == null ? 0 : 1
    this.#result.removed += removed.length
    this.#result.kept += condemned.length - removed.length
    this.#result.removedSize += removed.reduce((total, { size = 0 }) => total + size, 0)
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
