import type { Link, LinkDatastore } from './link-entries.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

export type { Link, LinkDatastore } from './link-entries.ts'

export interface LinksComponents {
  blockstore: Pick<Blockstore, 'has'>
  datastore?: LinkDatastore | undefined
}

export interface LinkOptions {
  signal?: AbortSignal | null | undefined
}

export interface PruneOptions extends LinkOptions {
  /**
   * Whether the block with this plain CID, the root of a compressed file, is kept.
   *
   * @default the blockstore's `has`
   */
  has?: ((cid: CID) => Promise<boolean> | boolean) | undefined
}

/**
 * Links between original and compressed CIDs, kept in the datastore. A kill at any
 * moment leaves both directions of a link or none.
 *
 * All throw `LinksUnavailableError` where there is no datastore.
 */
export interface Links {
  /**
   * Link an original to a compressed file. An original has one compressed file, the
   * one linked last. Several originals may lead to the same compressed file, as the
   * same bytes have several CIDs.
   *
   * @throws {InvalidParametersError} `compressed` is not marked, or `original` is
   * @throws {LinkedFileMissingError} the compressed file is not stored here; earlier
   *   links stay
   */
  add (original: CID, compressed: CID, options?: LinkOptions): Promise<void>

  /**
   * The other side: the compressed CID of an original, the original of a compressed
   * CID or its plain twin (the one linked last, where there are several).
   */
  get (cid: CID, options?: LinkOptions): Promise<CID | undefined>

  /** Delete what links a CID, both directions of it, whichever side it is. */
  delete (cid: CID, options?: LinkOptions): Promise<void>

  /** Every link, in the order of the datastore. */
  list (options?: LinkOptions): AsyncIterable<Link>

  /**
   * Delete every link whose compressed file is gone, as after garbage collection,
   * and what killed processes left behind. No other process may be adding links.
   *
   * @returns how many links were deleted
   */
  prune (options?: PruneOptions): Promise<number>
}
