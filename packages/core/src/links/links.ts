import type { CatFrameEvents } from '../events.ts'
import type { Blockstore } from 'interface-blockstore'
import type { Datastore } from 'interface-datastore'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

export interface LinkDatastore extends Pick<Datastore, 'get' | 'put' | 'delete' | 'query'> {
  /** Needed if several processes share the datastore: run `work` while no other process changes links. */
  change?<T> (work: () => Promise<T>): Promise<T>
}

export interface Link {
  /** The CID that the file's bytes have uncompressed, exactly as it was given. */
  original: CID
  /** The marked CID of the compressed file. */
  compressed: CID
  /**
   * True if the compressed file's bytes were compared with the original, false if the link
   * was added as unchecked. Missing in links written by earlier versions.
   */
  checked?: boolean
}

export interface LinksComponents {
  blockstore: Pick<Blockstore, 'has'>
  datastore?: LinkDatastore | undefined
  /** Reads the original bytes of a marked CID, for the comparison. */
  read (compressed: CID, options: AddLinkOptions): AsyncIterable<Uint8Array>
  /** The type and the size of a root that is stored, for links that are not compared. Fetches nothing. */
  stat?: (cid: CID, options: LinkOptions) => Promise<{ type: string, size: bigint, sizeKnown?: boolean }>
}

export interface LinkOptions {
  signal?: AbortSignal | null | undefined
}

export interface AddLinkOptions extends LinkOptions, ProgressOptions<CatFrameEvents> {
  /**
   * Add the link without reading and comparing the compressed file. Use it for directories,
   * and for originals made with other importer settings than the known ones. Nothing can
   * tell whether such a link is right. What is certain to be wrong is refused: a raw CID is the
   * hash of the bytes, so these are compared, and an original whose root is stored has a type and a size.
   *
   * @default false
   */
  unchecked?: boolean | undefined

  /** Like `maxWindowSize` of `CatOptions`, for streams compressed by another tool. */
  maxWindowSize?: number | undefined
}

export interface PruneOptions extends LinkOptions {
  /**
   * Whether the block with this plain CID, the root of a compressed file, still exists.
   *
   * @default the blockstore's `has`
   */
  has?: ((cid: CID) => Promise<boolean> | boolean) | undefined
}

/**
 * Links between original and compressed CIDs, stored in the datastore. A kill at any moment
 * leaves both directions of a link or neither.
 *
 * Every method throws `LinksUnavailableError` if there is no datastore.
 */
export interface Links {
  /**
   * Link an original CID to a compressed file. Reads the whole file: its bytes must have the
   * original CID with the settings of @helia/unixfs or of one of Kubo's profiles, without
   * mode and mtime. An original has one compressed file, the one linked last. A compressed
   * file may have several originals, because the same bytes have several CIDs.
   *
   * @throws {InvalidParametersError} `compressed` is not marked, or `original` is
   * @throws {LinkedFileMissingError} the compressed file is not stored locally. Existing
   *   links stay
   * @throws {LinkMismatchError} the bytes have another CID, or no known settings made the
   *   original
   * @throws {UncheckedLinkError} the file is a directory, which cannot be compared
   */
  add (original: CID, compressed: CID, options?: AddLinkOptions): Promise<void>

  /**
   * The other side of a link: the compressed CID of an original, or the original of a
   * compressed CID or its plain twin. Of several originals it is the one linked last.
   */
  get (cid: CID, options?: LinkOptions): Promise<CID | undefined>

  /** Delete every link of a CID, in both directions. The CID may be either side. */
  delete (cid: CID, options?: LinkOptions): Promise<void>

  /** All links, in the datastore's order. */
  list (options?: LinkOptions): AsyncIterable<Link>

  /**
   * Delete every link whose compressed file is gone, for example after a garbage collection,
   * and leftovers of killed processes. No other process may add links at the same time.
   *
   * @returns how many links were deleted
   */
  prune (options?: PruneOptions): Promise<number>
}
