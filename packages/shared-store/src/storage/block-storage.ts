import type { Blockstore } from 'interface-blockstore'
import type { MultihashDigest } from 'multiformats'
import type { CID } from 'multiformats/cid'

/** A block that a storage has listed. The storage may know more of it, such as the path of its file. */
export interface StoredBlock {
  multihash: MultihashDigest
  /** Its stored bytes, if that is known. */
  size?: number | undefined
}

/** Where the blocks of a repo lie, compressed or not: files, packs, or objects of a store. */
export interface BlockStorage extends Blockstore {
  /** Make ready to write. */
  open (): Promise<void>
  /** Resolves when every block put so far survives a loss of power. */
  sync (): Promise<void>
  /** Resolves when other processes find every block put so far. Undefined: they do once its put has resolved. */
  flush? (): Promise<void>
  /** Include a block in the next `sync`, even if another process has put it. */
  syncLater (cid: CID): Promise<void>
  /** Resolves when no put runs any more. */
  settled (): Promise<void>
  /** All blocks, in batches. Skips what is no block. */
  blocks (options?: { signal?: AbortSignal | null | undefined }): AsyncIterable<StoredBlock[]>
  /** The stored bytes of a block that `blocks` listed. 0 if it is gone. */
  sizeOf (block: StoredBlock): Promise<number>
  /** Delete blocks that `blocks` listed. Those that are gone are fine. */
  remove (blocks: readonly StoredBlock[], options?: { signal?: AbortSignal }): Promise<void>
}
