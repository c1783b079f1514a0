import { InvalidParametersError } from './errors.ts'
import type { Blockstore } from 'interface-blockstore'

/** Marks a CompressedBlockstore. A registered symbol works across two loaded copies of this package. */
export const COMPRESSED = Symbol.for('@ipfsz/blockstore-compressed')

/** A store that is wrapped, with what some blockstores have besides. */
export interface InnerStore extends Blockstore {
  /** Opens a store that has to be opened before use. */
  open?: (options?: Parameters<Blockstore['has']>[1]) => unknown
  close?: () => unknown
  /** Whether each block that it returns is in memory of its own. */
  readonly freshBlocks?: boolean | undefined
  /** Whether nothing of it refers to the memory of a block any more once its `put` has resolved. */
  readonly releasesBlocks?: boolean | undefined
}

/**
 * Check that a store has the methods needed, and is not a CompressedBlockstore. Compressing
 * twice cannot work: an envelope does not match its CID, so the lower wrapper would take
 * the upper one's envelopes for damage.
 *
 * @throws {InvalidParametersError}
 */
export function checkInner (inner: object, methods: ReadonlyArray<keyof Blockstore>): void {
  const missing = methods.find(method => typeof (inner as Partial<Blockstore> | null)?.[method] !== 'function')

  if (missing != null) {
    throw new InvalidParametersError(`The wrapped store is not a blockstore: it has no method ${missing}`)
  }

  if (COMPRESSED in inner) {
    throw new InvalidParametersError('This is a CompressedBlockstore: pass the store that it wraps')
  }
}
