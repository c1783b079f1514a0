// Room: a store that nodes share. `shared-store.ts` opens and makes one, `directory-backend.ts` and `s3-backend.ts` are
// the places; its mark, with the lease timeout, is in `store-mark.ts`. `store-session.ts` is for what adds,
// `collect.ts` and `round.ts` for what deletes (docs/shared-store.md), `store-nodes.ts` for daemons that find each
// other.
import type { S3Validity } from '@ipfsz/blockstore-s3'
import type { Blockstore } from 'interface-blockstore'
import type { MultihashDigest } from 'multiformats'
import type { CID } from 'multiformats/cid'

/** Where one block lies. */
export interface StoredBlock {
  multihash: MultihashDigest
  /** The path of its file, or the key of its object. */
  path: string
}

export interface RemoveOptions {
  signal?: AbortSignal
  /** When the store refuses it. */
  validity?: S3Validity | undefined
}

/** Where the blocks of a repo lie, compressed or not: files, or objects of S3. */
export interface BlockStorage extends Blockstore {
  /** Make ready to write. */
  open (): Promise<void>
  /** Resolves when every block put so far survives a loss of power. */
  sync (): Promise<void>
  /** Include a block in the next `sync`, even if another process has put it. */
  syncLater (cid: CID): Promise<void>
  /** Resolves when no put runs any more. */
  settled (): Promise<void>
  /** All blocks, in batches. Skips what is no block. */
  files (options?: { signal?: AbortSignal | null | undefined }): AsyncIterable<StoredBlock[]>
  /** The stored bytes of a block that `files` listed. */
  sizeOf (block: StoredBlock): Promise<number>
  /** How long a store takes deletes, from now on, by its own clock. Undefined: it does not look when they come. */
  validFor? (milliseconds: number): S3Validity
  /** Delete blocks that `files` listed. Those that are gone are fine. */
  remove (blocks: readonly StoredBlock[], options?: RemoveOptions): Promise<void>
}
