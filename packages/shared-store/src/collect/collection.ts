import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { S3Validity } from '@ipfsz/blockstore-s3'

export interface StoredBlock {
  /** The bytes of its multihash. */
  multihash: Uint8Array
  /** In bytes, if the list says it. */
  size?: number
}

/** The blocks of a store. What `list` says of a block, `delete` is told again. */
export interface StoredBlocks<Block extends StoredBlock = StoredBlock> {
  list: (options: { signal: AbortSignal }) => AsyncIterable<readonly Block[]>
  /**
   * How long the store takes deletes, from now on, by its own clock: it refuses those that come later. Undefined: it
   * does not look when they come.
   */
  validFor?: ((milliseconds: number) => S3Validity | undefined) | undefined
  /**
   * Delete blocks. A request is sent again only if the store has answered that it did not carry it out: one that is
   * under way when this returns could delete a block that was stored again meanwhile.
   *
   * @throws {Error} it is unknown whether all requests were carried out
   */
  delete: (
    blocks: readonly Block[],
    options: { signal: AbortSignal, validity?: S3Validity | undefined }
  ) => Promise<void>
}

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
  /** Objects of dead sessions and collections were deleted. */
  | { type: 'cleaned', objects: number }
  /** Blocks below pins were walked. */
  | { type: 'walked', blocks: number }
  /** Blocks of the store were listed, of which some are to be deleted. */
  | { type: 'listed', blocks: number, candidates: number }
  | { type: 'round', condemned: number }
  /** Sessions have not acknowledged the round yet: they do within seconds, or are dead. */
  | { type: 'waiting', sessions: number }
  /** A session was dead. */
  | { type: 'fenced', owner: string }
  | { type: 'deleted', blocks: number }

export interface CollectionInit<Pin extends StoredPin = StoredPin, Block extends StoredBlock = StoredBlock> {
  /** The objects of the store: sessions, collections and rounds. */
  store: ObjectStore
  /** Milliseconds, as the store's mark says. */
  leaseTimeout: number
  blocks: StoredBlocks<Block>
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
  /** The blocks that walks have reached. */
  reached: { has: (multihash: Uint8Array) => boolean }
  /** Delete the links to files whose roots are among the blocks. As careful as `delete` of blocks. */
  deleteLinks?: (
    blocks: readonly StoredBlock[],
    options: { signal: AbortSignal, validity?: S3Validity | undefined }
  ) => Promise<void>
  /** Called when the pins are walked, before anything is deleted. What it throws ends the collection. */
  beforeRounds?: (found: { pins: number }) => Promise<void>
  clock?: Clock
  /** Maximum number of blocks of a round. */
  roundSize?: number
  /** Maximum number of blocks that are deleted at a time. */
  batchSize?: number
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
}
