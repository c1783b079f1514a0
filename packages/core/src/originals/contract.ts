import { LAYOUTS } from '../content-cid/content-layouts.ts'
import type { CatFrameEvents } from '../events.ts'
import type { LinkDatastore, LinkOptions } from '../links/links.ts'
import type { OriginalsDatastore } from './original-index.ts'
import type { Codec } from '@ipfsz/codecs'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

/** The layouts of originals: how an importer splits a file into blocks. */
export const ORIGINAL_LAYOUTS: readonly string[] = LAYOUTS.map(({ name }) => name)

export interface OriginalsComponents {
  /** Has the compressed files. */
  blockstore: Pick<Blockstore, 'get' | 'put' | 'has'>
  /** The links, as `ipfsz` was given them. */
  links: LinkDatastore
  /** Where the index is kept. May be the datastore of the links. */
  datastore: OriginalsDatastore
}

export interface OriginalsInit {
  /**
   * Additional layouts to index and link each file in: names of `ORIGINAL_LAYOUTS`.
   * Files are linked to these originals, too.
   *
   * @default [] only the originals that files are linked to
   */
  layouts?: readonly string[] | undefined

  /**
   * The codecs to read with.
   *
   * @default every codec of @ipfsz/codecs
   */
  codecs?: readonly Codec[] | undefined
}

export interface AddOriginalsOptions extends LinkOptions, ProgressOptions<CatFrameEvents> {}

export interface PruneOriginalsOptions extends LinkOptions {
  /**
   * Whether the block with this plain CID, the root of a compressed file or tree, is kept.
   *
   * @default the blockstore's `has`
   */
  has?: ((cid: CID) => Promise<boolean> | boolean) | undefined
}
