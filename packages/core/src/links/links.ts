import type { CatFrameEvents } from '../events.ts'
import type { Blockstore } from 'interface-blockstore'
import type { Datastore } from 'interface-datastore'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

export interface LinkDatastore extends Pick<Datastore, 'get' | 'put' | 'delete' | 'query'> {
  /** For a datastore that several processes use: do what no other one may come between. */
  change?<T> (work: () => Promise<T>): Promise<T>
}

export interface Link {
  /** The CID that the file's bytes have uncompressed, as it was given. */
  original: CID
  /** The marked CID of the compressed file. */
  compressed: CID
  /**
   * Whether the bytes of the compressed file were compared with the original: true
   * where they were, false where it was linked unchecked. Links of earlier versions
   * tell nothing.
   */
  checked?: boolean
}

export interface LinksComponents {
  blockstore: Pick<Blockstore, 'has'>
  datastore?: LinkDatastore | undefined
  /** The original bytes of a marked CID, to compare them. */
  read (compressed: CID, options: AddLinkOptions): AsyncIterable<Uint8Array>
}

export interface LinkOptions {
  signal?: AbortSignal | null | undefined
}

export interface AddLinkOptions extends LinkOptions, ProgressOptions<CatFrameEvents> {
  /**
   * Link them without reading the compressed file. For originals that were made with
   * settings that are not known here, and for directories: of those nobody can tell
   * whether what is read is what they name.
   *
   * @default false
   */
  unchecked?: boolean | undefined

  /** As in `CatOptions`, for a stream that others made. */
  maxWindowSize?: number | undefined
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
   * Link an original to a compressed file, which is read to its end: its bytes must
   * have that CID, with the settings of @helia/unixfs or of one of Kubo's profiles,
   * and without mode and mtime. An original has one compressed file, the
   * one linked last. Several originals may lead to the same compressed file, as the
   * same bytes have several CIDs.
   *
   * @throws {InvalidParametersError} `compressed` is not marked, or `original` is
   * @throws {LinkedFileMissingError} the compressed file is not stored here; earlier
   *   links stay
   * @throws {LinkMismatchError} the bytes have another CID, or none of the known
   *   settings made the original
   * @throws {UncheckedLinkError} it leads to a directory, which cannot be compared
   */
  add (original: CID, compressed: CID, options?: AddLinkOptions): Promise<void>

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
