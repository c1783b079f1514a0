import type { FilesToRead } from './read-small-files.ts'
import type { EncodedBlocks } from '@ipfsz/blockstore-packed'
import type { AddOptions, Mtime } from '@ipfsz/core'

/** What a thread is started with. */
export interface ThreadData {
  /** How to compress. */
  options: Pick<AddOptions, 'compression'>
}

/** The first call for a batch. */
export interface ReadBatch extends FilesToRead {
  batch: number
  /** Of each file, if any has metadata. */
  metadata?: ReadonlyArray<{ mode?: number | undefined, mtime?: Mtime | undefined }> | undefined
}

/** How many numbers `ReadFiles` has for each file. */
export const NUMBERS = 6

/** What came of the files of a batch. */
export interface ReadFiles {
  /**
   * For each file: how many blocks it has, 0 if it needs the ordinary way; its size; the size of its blocks, as a
   * directory says it; its marker, or 0; 1 if it was what had been examined; and 1 if only IPFSz can
   * read it.
   */
  numbers: Uint32Array<ArrayBuffer>
  /** The CIDs of all blocks, those of each file in order, its root last. */
  cids: Uint8Array<ArrayBuffer>
  /** The bytes of each block. */
  sizes: Uint32Array<ArrayBuffer>
}

/** The second call for a batch. */
export interface TakeBlocks {
  batch: number
  /** 1 for each block to send. The others are forgotten. */
  wanted: Uint8Array
  /** Whether they go into a pack. */
  packed: boolean
}

/** The blocks that were asked for: as a pack has them, or one after the other. */
export type NewBlocks = { encoded: EncodedBlocks } | { bytes: Uint8Array }
