import type { FilesToRead } from './read-small-files.ts'
import type { EncodedBlocks } from '@ipfsz/blockstore-packed'
import type { EncodeOptions } from '@ipfsz/blockstore-packed/encode'
import type { AddOptions } from '@ipfsz/core'
import type { EncodedLargeFile, FileDictionaries, Metadata, SharedDictionary } from '@ipfsz/core/small-files'

/** What a thread is started with. */
export interface ThreadData {
  /** How to compress. */
  options: Pick<AddOptions, 'compression'>
}

/** The first call for a batch. */
export interface ReadBatch extends FilesToRead {
  batch: number
  /** Of each file, if any has metadata. */
  metadata?: readonly Metadata[] | undefined
  /** Those of the files, and which one each has: -1 for none. */
  dictionaries?: readonly SharedDictionary[] | undefined
  assigned?: Int32Array | undefined
}

/** The first call for the dictionaries of files. */
export interface TrainFiles extends FilesToRead {
  batch: number
  /** What each file is called in the tree: dictionaries are for files with the same extension. */
  paths: readonly string[]
}

/** The dictionaries. Their blocks are taken as those of a batch. */
export interface TrainedFiles extends Pick<FileDictionaries, 'dictionaries' | 'assigned'> {
  /** As in `ReadFiles`. */
  cids: Uint8Array<ArrayBuffer>
  sizes: Uint32Array<ArrayBuffer>
}

/** How many numbers `ReadFiles` has for each file. */
export const NUMBERS = 7

/** What came of the files of a batch. */
export interface ReadFiles {
  /**
   * For each file: how many blocks it has, 0 if it needs the ordinary way; its size; the size of its blocks, as a
   * directory says it; its marker, or 0; 1 if it was what had been examined; 1 if only IPFSz can read it; and 1 if it
   * refers back to its dictionary.
   */
  numbers: Uint32Array<ArrayBuffer>
  /** The CIDs of all blocks, those of each file in order, its root last. */
  cids: Uint8Array<ArrayBuffer>
  /** The bytes of each block. */
  sizes: Uint32Array<ArrayBuffer>
}

/** The first step of a large file, and those that follow, which have no path. */
export interface ReadLarge {
  batch: number
  /** The number of the file. */
  large: number
  path?: string | undefined
  metadata?: Metadata | undefined
}

/** What came of a large file in a step. The blocks are taken as those of a batch, before the next step. */
export interface LargeBlocks {
  /** As in `ReadFiles`. */
  cids: Uint8Array<ArrayBuffer>
  sizes: Uint32Array<ArrayBuffer>
  /** How many bytes were read. */
  read: number
  /** Undefined: another step follows. */
  end?: LargeFileEnd | undefined
}

export interface LargeFileEnd {
  /** Undefined if it needs the ordinary way. */
  encoded: EncodedLargeFile | undefined
  /** What the file was when all of it was read: see `identityOf`. */
  identity: BigInt64Array
}

/** The second call for a batch. */
export interface TakeBlocks {
  batch: number
  /** 1 for each block to send. The others are forgotten. */
  wanted: Uint8Array
  /** How they are compressed for a pack, and into which memory. Undefined: they are sent as they are. */
  packing: Packing | undefined
}

export interface Packing extends EncodeOptions {
  /** Whether the packs of a shared store say what their blocks link to. */
  withLinks: boolean
}

/** The blocks that were asked for: as a pack has them, or one after the other. */
export type NewBlocks = { encoded: EncodedBlocks } | { bytes: Uint8Array }
