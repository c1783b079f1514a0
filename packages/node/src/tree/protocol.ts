import type { Metadata } from '../disk/restore-metadata.ts'

/** Bytes of the CIDs that threads read: of version 1, with sha2-256. */
export const CID_LENGTH = 36

/** How many bytes of blocks are in memory together, for each thread. Links may claim less than blocks have. */
export const MAX_BYTES = 16 * 1024 * 1024

/**
 * Where threads find blocks: in the directory of a SharedFsBlockstore whose blocks are not compressed, in that of a
 * PackedBlockstore, or in each request.
 */
export type SmallBlocks = { layout: 'files' | 'packs', path: string } | { layout: 'sent' }

/**
 * What is done with small files: only their sizes are read, or they are read and checked, or written too.
 */
export type SmallTask = 'measure' | 'verify' | 'write'

/** Blocks one after the other: to send each by itself takes longer than to copy it. */
export interface JoinedBlocks {
  bytes: Uint8Array
  /** -1: it could not be read. */
  lengths: Int32Array
}

/** Entries of directories to read. */
export interface SmallRequest {
  task: SmallTask
  /** Whether files are read decompressed. */
  isMarked: boolean
  /** The roots, one after the other. */
  cids: Uint8Array
  /** How large each is with all below it, as its directory says. */
  sizes: Float64Array
  /** The blocks of the roots, if the thread cannot read them. */
  roots?: JoinedBlocks | undefined
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
  /** Original bytes of each file, also of those that are left. 0 where nobody knows. */
  sizes: Float64Array
  /** How many frames of each file were decompressed. */
  frames: Uint8Array
  /** Of each directory, in order. */
  directories: Metadata[]
  /** The second blocks of files, one after the other, and which entry each belongs to. */
  leaves: Uint8Array
  leafOf: Uint32Array
}
