import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { PackStorage } from '../packs/pack-storage.ts'

/** A pin. Equal IDs stand for the same blocks: the same CID, to the same depth. */
export interface StoredPin {
  id: string
}

/** What a collection tells while it works. */
export type CollectionEvent =
  /** Another collection may be dead: if it gives no sign of life within the timeout, this one goes on. */
  | { type: 'others' }
  /** There are more sessions than a collection can wait for. So many of them were found to be dead. */
  | { type: 'clearing', dead: number }
  /** Blocks below pins were walked. */
  | { type: 'walked', blocks: number }
  /** Blocks of the store were listed, of which some are to be deleted. */
  | { type: 'listed', blocks: number, candidates: number }
  /** So many packs are condemned. */
  | { type: 'round', condemned: number }
  /** Sessions have not acknowledged the round yet: they do within seconds, or are dead. */
  | { type: 'waiting', sessions: number }
  /** A session was dead. */
  | { type: 'fenced', owner: string }
  | { type: 'deleted', blocks: number }

export interface CollectionInit<Pin extends StoredPin = StoredPin> {
  /** The objects of the store: sessions, collections and rounds. */
  store: ObjectStore
  storage: PackStorage
  /** Milliseconds, as the store's mark says. */
  leaseTimeout: number
  /**
   * All pins that are there from the beginning of the call to its end. Is called once, and then in each round. May
   * leave out those whose IDs `isWalked` knows: a store over the network takes a request for each.
   */
  readPins: (options: { signal: AbortSignal, isWalked: (id: string) => boolean }) => AsyncIterable<Pin>
  /**
   * Add the blocks that a pin reaches to `reached`. Yields for each of them.
   *
   * @throws {DamagedDagError} a block is missing or damaged, so what the pin reaches is unknown
   */
  walk: (pin: Pin, options: { signal: AbortSignal }) => AsyncIterable<unknown>
  /** The blocks that walks have reached, by their keys (`keyOf`): 32 bytes, which end as the multihash does. */
  reached: { has: (key: Uint8Array) => boolean }
  /**
   * The share of all bytes of blocks that may stay unused.
   *
   * @default 0.05
   */
  maxUnused?: number
  /** Called when the pins are walked, before anything is deleted. What it throws ends the collection. */
  beforeRounds?: ((found: { pins: number }) => Promise<void>) | undefined
  /** @default the system's */
  clock?: Clock | undefined
}

export interface CollectOptions {
  signal: AbortSignal
  /** Count the blocks, but delete nothing, and write nothing into the store. */
  dryRun?: boolean
  onProgress?: (event: CollectionEvent) => void
}

export interface CollectionResult {
  pins: number
  /** Blocks that a pin reaches, or that a session relied on. */
  kept: number
  /** Blocks that were deleted, or that a dry run would delete. */
  removed: number
  /** Bytes of these, as far as their sizes are known. */
  removedSize: number
  rounds: number
  /** Sessions that were dead. */
  fenced: number
  /** Packs that are condemned, but that sessions still need, or of which a block cannot be read: for the next run. */
  left: number
}
