import type { CompressionOptions } from './policy/compression.ts'
import type { GetBlockOptions } from './dag/block.ts'
import type { ReadOptions } from './dag/read.ts'
import type { AddFrameEvents, CatFrameEvents, FetchEvents, LinkEvents } from './events.ts'
import type * as unixfs from '@helia/unixfs'
import type { CodecName } from '@ipfsz/codecs'
import type { UnixFS as UnixFSMessage } from 'ipfs-unixfs'
import type { UnixFSDirectoryEntry } from 'ipfs-unixfs-exporter'
import type { CID } from 'multiformats/cid'

/** The options and results of `@helia/unixfs`, and what is more here. */

export type { ChmodOptions, CpOptions, FileCandidate, MkdirOptions, RmOptions, TouchOptions } from '@helia/unixfs'
export type { ByteStream, DirectoryCandidate, ImportCandidateStream, ImportResult } from 'ipfs-unixfs-importer'
export type { Mtime } from 'ipfs-unixfs'

/**
 * A handler of progress. Declared as a method on purpose: then a handler that is
 * typed for the events of `@helia/unixfs` alone fits too.
 */
export interface ProgressHandler<Event> {
  onProgress? (event: Event): void
}

export type AddEvents = unixfs.AddEvents | AddFrameEvents

export interface AddOptions extends Omit<unixfs.AddOptions, 'onProgress'>, ProgressHandler<AddEvents> {
  /** How to compress. Files that are stored plain are stored as the other options say. */
  compression?: CompressionOptions | undefined

  /**
   * Find the CID that the bytes have uncompressed while they are added, write it into
   * the header, and link it to the compressed file. The compressed file has another
   * CID than without. What is stored plain is not linked.
   *
   * @default false
   */
  link?: boolean | undefined
}

export interface AddFileOptions extends Omit<AddOptions, 'wrapWithDirectory'>, Pick<unixfs.FileCandidate, 'mode' | 'mtime'> {}

export type CatEvents = unixfs.GetEvents | CatFrameEvents | FetchEvents | LinkEvents

export interface CatOptions extends Omit<unixfs.CatOptions, 'onProgress' | 'signal'>, Omit<ReadOptions, 'onProgress'>, ProgressHandler<CatEvents> {
  /**
   * The most bytes that a stream that others made may ask for to look back. More than
   * this comes of `zstd --ultra` and of `zstd --long`.
   *
   * @default 8388608
   */
  maxWindowSize?: number | undefined
}

export interface LsOptions extends Omit<unixfs.LsOptions, 'onProgress' | 'signal'>, GetBlockOptions, ProgressHandler<unixfs.GetEvents | FetchEvents | LinkEvents> {}

export interface StatOptions extends Omit<unixfs.StatOptions, 'onProgress' | 'signal'>, GetBlockOptions, ProgressHandler<unixfs.GetEvents | FetchEvents | LinkEvents> {}

export interface ExtendedStatOptions extends StatOptions, Pick<unixfs.ExtendedStatOptions, 'filter'> {
  /**
   * Walk the whole DAG and count. Inner nodes are fetched; leaves only where the
   * blockstore does not have them.
   */
  extended: true

  /** As in `CatOptions`, for a stream that has to be decompressed to count its bytes. */
  maxWindowSize?: number | undefined
}

/** How a file is compressed. */
export interface CompressionStats {
  /** Bytes of all blocks. */
  storedSize: bigint

  /** storedSize / size, 1 for an empty file. */
  ratio: number

  /** The codec that reading decompresses with. */
  codec: CodecName | 'none'

  /** How many frames reading decompresses. */
  frames: number

  /** Original bytes in every frame but the last. */
  frameSize?: number

  /**
   * Only of streams that others made. Where it is false, `size` is that of the stream
   * as it is stored, and the ratio and the frames tell nothing: no seek table says
   * more. `extended` decompresses the stream to know.
   */
  sizeKnown?: boolean

  /** The CID that any IPFS node knows it by. */
  plainCid: CID

  /** The CID that the original bytes are read by, where something is compressed. */
  markedCid?: CID
}

/**
 * What `unixfs.stat` tells, and how the file is compressed. `size` is how many
 * bytes reading gives: those of the original, where the CID is a marked one.
 */
export type Stats = (unixfs.FileStats | unixfs.DirectoryStats | unixfs.RawStats) & CompressionStats

/**
 * What `unixfs.stat` tells with `extended`. The size of a directory is that of all
 * files in it, of the originals where the CID is a marked one.
 */
export type ExtendedStats = (unixfs.ExtendedFileStats | unixfs.ExtendedDirectoryStats | unixfs.ExtendedRawStats) & CompressionStats

/**
 * What `unixfs.ls` tells, and what the entry's root block says. Without that block
 * there is no more than Helia tells: a directory can be listed of which files are
 * missing.
 */
export interface DirectoryEntry extends UnixFSDirectoryEntry, Partial<CompressionStats> {
  /**
   * What to read the entry by as the directory was read: in a tree the marked CID
   * of a compressed file, and a tree's of a directory.
   */
  cid: CID

  /** Bytes that reading a file gives. Of a directory what its parent says, as with Helia. */
  size: bigint

  plainCid: CID
  type?: 'file' | 'directory' | 'raw'
  mode?: number
  mtime?: unixfs.FileStats['mtime']
  unixfs?: UnixFSMessage
}
