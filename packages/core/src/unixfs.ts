import type { CompressionOptions } from './policy/compression-options.ts'
import type { GetBlockOptions } from './dag/block.ts'
import type { ReadOptions } from './dag/read.ts'
import type { Filter } from './filters/filter.ts'
import type { AddFrameEvents, CatFrameEvents, FetchEvents, LinkEvents, ReferredFile } from './events.ts'
import type * as unixfs from '@helia/unixfs'
import type { CodecName } from '@ipfsz/codecs'
import type { UnixFS as UnixFSMessage } from 'ipfs-unixfs'
import type { UnixFSDirectoryEntry } from 'ipfs-unixfs-exporter'
import type { ImportCandidateStream, ImportResult as ImporterResult } from 'ipfs-unixfs-importer'
import type { CID } from 'multiformats/cid'

/** The options and results of `@helia/unixfs`, extended with compression. */

export type { ChmodOptions, CpOptions, FileCandidate, MkdirOptions, RmOptions, TouchOptions } from '@helia/unixfs'
export type { ByteStream, DirectoryCandidate, ImportCandidateStream } from 'ipfs-unixfs-importer'
export type { Mtime } from 'ipfs-unixfs'

/**
 * A progress handler. It is declared as a method so that TypeScript also accepts a handler
 * typed only for the events of `@helia/unixfs`.
 */
export interface ProgressHandler<Event> {
  onProgress? (event: Event): void
}

/** A file, directory or symlink that was added. */
export interface ImportResult extends ImporterResult {
  /** Whether it is a compressed file that only IPFSz can read: others can pin it (see `readableWith`). */
  onlyIpfsz?: boolean | undefined
}

/** Files whose blocks are stored already: they only get their places in a directory. They have no result. */
export interface WrittenCandidate {
  /** The directory. Not empty. */
  path: string
  written: readonly WrittenFile[]
}

export interface WrittenFile {
  name: string
  /** Marked if the file is compressed. */
  cid: CID
  /** Bytes of all its blocks, as the link to it in a directory says. */
  size: bigint
  /** Its blocks, and how many bytes each has: those that occur several times are reported. */
  blocks: ReadonlyArray<{ cid: CID, size: number }>
  /**
   * Bytes of its blocks that are left out there, as they occur in it several times.
   *
   * @default 0
   */
  repeated?: number | undefined
  /** As in `ImportResult`. It is only passed on to `onWritten`. */
  onlyIpfsz?: boolean | undefined
  /** As in `ipfsz:add:decided`. It is only passed on to `onWritten`. */
  dictionary?: ReferredFile | undefined
}

type Elements<T> = T extends AsyncIterable<infer E> | Iterable<infer E> ? E : never

/** A file, directory or symlink to add. */
export type AddCandidate = Elements<ImportCandidateStream> | WrittenCandidate

export type AddCandidateStream = AsyncIterable<AddCandidate> | Iterable<AddCandidate>

export type AddEvents = unixfs.AddEvents | AddFrameEvents

export interface AddOptions extends Omit<unixfs.AddOptions, 'onProgress'>, ProgressHandler<AddEvents> {
  /** How to compress. The remaining options apply to files that are stored uncompressed. */
  compression?: CompressionOptions | undefined

  /**
   * Compute the CID of the uncompressed file, store it in the header, and link it to the
   * compressed file. The larger header changes the CID of the compressed file. Files that
   * are stored uncompressed are not linked.
   *
   * @default false
   */
  link?: boolean | undefined
}

export interface AddAllOptions extends AddOptions {
  /**
   * Whether each directory is complete when a candidate outside of it comes, as in a walk of a tree. It is written
   * then, and memory does not grow with the number of candidates. No path may occur twice: that is not checked.
   *
   * @default false
   */
  depthFirst?: boolean | undefined

  /** Called and awaited when files of a `WrittenCandidate` have their places, in the order of results. */
  onWritten? (files: WrittenCandidate): Promise<void>
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
   * Maximum window size, in bytes, of streams compressed by other tools. `zstd --ultra`
   * and `zstd --long` produce larger windows.
   *
   * @default 8388608
   */
  maxWindowSize?: number | undefined

  /**
   * Whether the caller no longer needs a chunk when it requests the next one: the memory of the chunk may then be
   * freed, and the chunk becomes empty. Large files are read faster and with less memory, because there is less garbage
   * to collect. Do not use it if you collect chunks, or pass them to a stream that reads ahead.
   *
   * @default false
   */
  transient?: boolean | undefined
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
   * Traverse the whole DAG and count its blocks. Fetches inner nodes, and leaves that are
   * missing in the blockstore.
   */
  extended: true

  /**
   * Fail with `DagTooLargeError` if there are more blocks than this, or if directories and roots of files have more
   * than 16 KiB for each of them. Memory grows by about 500 bytes for each block.
   *
   * @default Infinity
   */
  maxBlocks?: number | undefined

  /** Like `maxWindowSize` of `CatOptions`, for a stream that must be decompressed to find its size. */
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

  /** Original bytes in every frame except the last, or the maximum of all frames if their sizes differ. */
  frameSize?: number

  /** Filters applied to the bytes of each frame before compression, in this order. Reading reverses them. */
  filters?: readonly Filter[]

  /** The plain CID of the base, an earlier version of the file. Reading the file needs it. */
  base?: CID

  /** Bytes of all blocks of the base. They are part of `fetchSize`, and other files may have the same base. */
  baseSize?: bigint

  /**
   * Set only for streams compressed by another tool. If false, the stream has no seek
   * table: `size` is the stored size, and `ratio` and `frames` are meaningless. `extended`
   * decompresses the stream to find its size. With `extended` and `offline`, false for a directory with missing
   * blocks: `size` is that of the files that are present.
   */
  sizeKnown?: boolean

  /** The CID for every IPFS node. */
  plainCid: CID

  /** The CID that yields the original bytes. Set if anything is compressed. */
  markedCid?: CID

  /**
   * The CID of the uncompressed file, according to the header: only `verify` checks it. Set if the file was added with
   * `link`, and is read by its marked CID.
   */
  contentCid?: CID
}

/** The result of `unixfs.stat`, with compression. `size` is the number of bytes that `cat` returns. */
export type Stats = (unixfs.FileStats | unixfs.DirectoryStats | unixfs.RawStats) & CompressionStats

/**
 * The result of `unixfs.stat` with `extended`, with compression. A directory's `size` is
 * the total size of its files: original bytes if the CID is marked, otherwise stored bytes.
 */
export type ExtendedStats = CompressionStats & Required<Pick<CompressionStats, 'storedSize' | 'fetchSize' | 'ratio'>> &
  (unixfs.ExtendedFileStats | unixfs.ExtendedDirectoryStats | unixfs.ExtendedRawStats)

/**
 * The result of `unixfs.ls`, with statistics from the entry's root block. If that block is
 * missing, the entry has only the fields of Helia, so a directory with missing files can
 * still be listed.
 */
export interface DirectoryEntry extends UnixFSDirectoryEntry, Partial<CompressionStats> {
  /**
   * The CID that reads the entry in the same way as the directory: in a tree, the marked
   * CID of a compressed file, and the tree CID of a directory.
   */
  cid: CID

  /** For a file, the number of bytes that `cat` yields. For a directory, the size in its parent's link. */
  size: bigint

  plainCid: CID
  type?: 'file' | 'directory' | 'raw'
  mode?: number
  mtime?: unixfs.FileStats['mtime']
  unixfs?: UnixFSMessage
}
