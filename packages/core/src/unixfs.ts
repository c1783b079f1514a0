import type { CompressionOptions } from './policy/compression-options.ts'
import type { GetBlockOptions } from './dag/block.ts'
import type { ReadOptions } from './dag/read.ts'
import type { Filter } from './filters/filter.ts'
import type { AddFrameEvents, CatFrameEvents, FetchEvents, LinkEvents } from './events.ts'
import type * as unixfs from '@helia/unixfs'
import type { CodecName } from '@ipfsz/codecs'
import type { UnixFS as UnixFSMessage } from 'ipfs-unixfs'
import type { UnixFSDirectoryEntry } from 'ipfs-unixfs-exporter'
import type { CID } from 'multiformats/cid'

/** The options and results of `@helia/unixfs`, extended with compression. */

export type { ChmodOptions, CpOptions, FileCandidate, MkdirOptions, RmOptions, TouchOptions } from '@helia/unixfs'
export type { ByteStream, DirectoryCandidate, ImportCandidateStream, ImportResult } from 'ipfs-unixfs-importer'
export type { Mtime } from 'ipfs-unixfs'

/**
 * A progress handler. It is declared as a method so that TypeScript also accepts a handler
 * typed for the events of `@helia/unixfs` alone.
 */
export interface ProgressHandler<Event> {
  onProgress? (event: Event): void
}

export type AddEvents = unixfs.AddEvents | AddFrameEvents

export interface AddOptions extends Omit<unixfs.AddOptions, 'onProgress'>, ProgressHandler<AddEvents> {
  /** How to compress. The remaining options apply to files that are stored uncompressed. */
  compression?: CompressionOptions | undefined

  /**
   * Compute the CID that the file has uncompressed, store it in the header, and link it
   * to the compressed file. The header is larger for it, so the compressed file's CID
   * changes. Files that are stored uncompressed are not linked.
   *
   * @default false
   */
  link?: boolean | undefined
}

export interface AddFileOptions extends
  Omit<AddOptions, 'wrapWithDirectory'>,
  Pick<unixfs.FileCandidate, 'mode' | 'mtime'> {}

export type CatEvents = unixfs.GetEvents | CatFrameEvents | FetchEvents | LinkEvents

export interface CatOptions extends
  Omit<unixfs.CatOptions, 'onProgress' | 'signal'>,
  Omit<ReadOptions, 'onProgress'>,
  ProgressHandler<CatEvents> {
  /**
   * The largest window, in bytes, that a stream compressed by another tool may need.
   * `zstd --ultra` and `zstd --long` produce larger ones.
   *
   * @default 8388608
   */
  maxWindowSize?: number | undefined

  /**
   * Whether the caller is done with the bytes it got when it asks for the next ones: their memory may then be freed,
   * and they have no bytes any more. Large files are read faster and in less memory, because nothing is left to garbage
   * collection. Not for a caller that collects bytes, or hands them to a stream that asks for more ahead of its reader.
   *
   * @default false
   */
  transient?: boolean | undefined
}

export interface StoredFileOptions extends
  Pick<CatOptions, 'path' | 'signal' | 'offline' | 'blockReadConcurrency'>,
  ProgressHandler<CatEvents> {}

/** A compressed file as it is stored. */
export interface StoredFile {
  /** The codec that decompresses a frame. */
  codec: CodecName

  /** Original bytes of the file. */
  size: number

  /** Original bytes in every frame but the last, or the most in any frame if there are `frameSizes`. */
  frameSize: number

  /** Original bytes of each frame, in order, if they differ: of files that are cut by content. */
  frameSizes?: readonly number[]

  /** Compressed bytes of each frame, in order. */
  frameLengths: readonly number[]

  /** Compressed bytes of all frames. */
  length: number

  /**
   * Read all frames, one after the other, without what follows the last one. Every block is
   * compared with its CID; the frames themselves are not checked. Throws the errors of `cat`
   * that concern blocks.
   */
  frames: (options?: FramesOptions) => AsyncIterable<Uint8Array>
}

export interface FramesOptions extends Pick<CatOptions, 'signal' | 'blockReadConcurrency'> {
  /** How many of their bytes to skip. Other options take the place of those that the file was opened with. */
  offset?: number | undefined
}

export interface LsOptions extends
  Omit<unixfs.LsOptions, 'onProgress' | 'signal'>,
  GetBlockOptions,
  ProgressHandler<unixfs.GetEvents | FetchEvents | LinkEvents> {}

export interface StatOptions extends
  Omit<unixfs.StatOptions, 'onProgress' | 'signal'>,
  GetBlockOptions,
  ProgressHandler<unixfs.GetEvents | FetchEvents | LinkEvents> {}

export interface ExtendedStatOptions extends StatOptions, Pick<unixfs.ExtendedStatOptions, 'filter'> {
  /**
   * Walk the whole DAG and count it. Fetches inner nodes, and the leaves that the
   * blockstore does not have.
   */
  extended: true

  /**
   * Fail with `DagTooLargeError` if there are more blocks than this, or if directories and roots of files have more
   * than 16 KiB for each of them. Memory grows by about 500 bytes for each block.
   *
   * @default Infinity
   */
  maxBlocks?: number | undefined

  /** Like `maxWindowSize` of `CatOptions`, for a stream that must be decompressed to learn its size. */
  maxWindowSize?: number | undefined
}

/** How a file is compressed. */
export interface CompressionStats {
  /**
   * Bytes of its own blocks, each counted once: without those of a base. Of a directory, the blocks below it and the
   * bases that several of its files have, as dictionaries are; known only with `extended`. Without `extended`, a leaf
   * of a file of more than 1,024 leaves counts once below each inner node.
   */
  storedSize?: bigint

  /** Bytes of all blocks that reading it takes, each counted once: with those of bases. Known where `storedSize` is. */
  fetchSize?: bigint

  /** storedSize / size, 1 for an empty file. Known where `storedSize` is. */
  ratio?: number

  /** The codec that decompresses the file. Undefined for a directory: each of its files has its own. */
  codec?: CodecName | 'none'

  /** How many frames the file has. */
  frames: number

  /** Original bytes in every frame but the last, or the most in any frame if their sizes differ. */
  frameSize?: number

  /** What was done to the bytes of each frame before it was compressed, in this order. Reading undoes it. */
  filters?: readonly Filter[]

  /** The plain CID of the earlier version that a compressed file refers back to. Reading the file needs it. */
  base?: CID

  /** Bytes of all blocks of the base. They are part of `fetchSize`, and other files may have the same base. */
  baseSize?: bigint

  /**
   * Set only for streams compressed by another tool. If false, the stream has no seek
   * table: `size` is the stored size, and `ratio` and `frames` mean nothing. `extended`
   * decompresses the stream to find its size. With `extended` and `offline`, false for a directory of which blocks are
   * missing: `size` is that of the files that are here.
   */
  sizeKnown?: boolean

  /** The CID under which every IPFS node knows it. */
  plainCid: CID

  /** The CID that reads the original bytes, if something is compressed. */
  markedCid?: CID

  /**
   * The CID that the original bytes have uncompressed, as the header of a compressed file claims: only `verify` checks
   * it. Set if the file was added with `link`, and is read by its marked CID.
   */
  contentCid?: CID
}

/** The result of `unixfs.stat`, with compression. `size` is the number of bytes that `cat` returns. */
export type Stats = (unixfs.FileStats | unixfs.DirectoryStats | unixfs.RawStats) & CompressionStats

/**
 * The result of `unixfs.stat` with `extended`, with compression. A directory's `size` is
 * the total of its files, and the total of their original bytes if the CID is marked.
 */
export type ExtendedStats = CompressionStats & Required<Pick<CompressionStats, 'storedSize' | 'fetchSize' | 'ratio'>> &
  (unixfs.ExtendedFileStats | unixfs.ExtendedDirectoryStats | unixfs.ExtendedRawStats)

/**
 * The result of `unixfs.ls`, with what the entry's root block holds. If that block is
 * missing the entry has only what Helia returns, so a directory with missing files can
 * still be listed.
 */
export interface DirectoryEntry extends UnixFSDirectoryEntry, Partial<CompressionStats> {
  /**
   * The CID that reads the entry in the same way as the directory was read: in a tree,
   * the marked CID of a compressed file, and the tree CID of a directory.
   */
  cid: CID

  /** The number of bytes that reading a file returns. For a directory, the size that its parent states. */
  size: bigint

  plainCid: CID
  type?: 'file' | 'directory' | 'raw'
  mode?: number
  mtime?: unixfs.FileStats['mtime']
  unixfs?: UnixFSMessage
}
