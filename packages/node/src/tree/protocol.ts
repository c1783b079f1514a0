import type { Metadata } from '../disk/restore-metadata.ts'

/** Bytes of the CIDs that threads read: of version 1, with sha2-256. */
export const CID_LENGTH = 36

/** Where threads find blocks. */
export interface SmallBlocks {
  layout: 'files' | 'packs'
  /** The directory of a SharedFsBlockstore whose blocks are not compressed, or of a PackedBlockstore. */
  path: string
}

/**
 * What is done with small files: only their sizes are read, or they are read and checked, or written too.
 */
export type SmallTask = 'measure' | 'verify' | 'write'

/** Entries of directories to read. */
export interface SmallRequest {
  task: SmallTask
  /** Whether files are read decompressed. */
  isMarked: boolean
  /** The roots, one after the other. */
  cids: Uint8Array
  /** How large each is with all below it, as its directory says. */
  sizes: Float64Array
  /** Where to write each. */
  paths?: string[] | undefined
}

/** What became of an entry. */
export const SMALL = {
  /** It needs the ordinary way, which also says what is wrong. Nothing was done. */
  left: 0,
  file: 1,
  directory: 2,
  symlink: 3
} as const

export interface SmallReply {
  /** One of `SMALL` for each entry. */
  kinds: Uint8Array
  /** Original bytes of each file. */
  sizes: Float64Array
  /** How many frames of each file were decompressed. */
  frames: Uint8Array
  /** Of each directory, in order. */
  directories: Metadata[]
  /** Bytes of the blocks of all files. */
  bytes: number
  /** The second blocks of files, one after the other, and which entry each belongs to. */
  leaves: Uint8Array
  leafOf: Uint32Array
}
