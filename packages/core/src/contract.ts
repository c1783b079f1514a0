// Above 250 lines: inputs and outputs are read as one contract, and most of it is documentation.
import type { BlocksBelow, BlocksOptions } from './fetch/blocks-below.ts'
import type { ProviderRouting } from './fetch/fetch-scope.ts'
import type { FetchInit } from './fetch/init.ts'
import type { BlockSource } from './fetch/source.ts'
import type { FileHandle, OpenOptions } from './file-handle.ts'
import type { LinkDatastore, Links } from './links/links.ts'
import type {
  AddAllOptions,
  AddCandidateStream,
  AddFileOptions,
  ByteStream,
  CatOptions,
  ChmodOptions,
  CpOptions,
  DirectoryCandidate,
  DirectoryEntry,
  ExtendedStatOptions,
  ExtendedStats,
  FileCandidate,
  ImportResult,
  LsOptions,
  MkdirOptions,
  RmOptions,
  Stats,
  StatOptions,
  TouchOptions
} from './unixfs.ts'
import type { VerifyOptions, VerifyReport } from './verification.ts'
import type { Codec } from '@ipfsz/codecs'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

export interface IpfszComponents {
  blockstore: Pick<Blockstore, 'get' | 'put' | 'has'> & {
    /**
     * Whether the blockstore verifies every block against its CID before returning it, and throws for damaged blocks.
     *
     * @default false: blocks are verified after they are read
     */
    readonly checksBlocks?: boolean | undefined
    /**
     * Whether each returned block has its own memory, to which nothing else refers. Reading a compressed file, or
     * reading with `transient`, frees such blocks.
     *
     * @default false
     */
    readonly freshBlocks?: boolean | undefined
    /**
     * Whether the blockstore no longer refers to the memory of a block once its `put` has resolved. Adding a file then
     * frees the memory of its frames as soon as they are stored.
     *
     * @default false
     */
    readonly releasesBlocks?: boolean | undefined
  }
  /**
   * Sources to fetch blocks from that are missing or damaged in the blockstore. They are asked in this order, and
   * fetched blocks are put into the blockstore.
   *
   * @default the blockstore itself, if it can fetch, as Helia's can
   */
  sources?: readonly BlockSource[] | undefined
  /** Where links between original and compressed CIDs are stored. Links are unavailable without it. */
  datastore?: LinkDatastore | undefined
  /** Finds providers, as `helia.routing` does. If a peer disconnects during a fetch, it finds others. */
  routing?: ProviderRouting | undefined
}

export interface IpfszInit {
  /**
   * The codecs to read and write with.
   *
   * @default every codec of @ipfsz/codecs
   */
  codecs?: readonly Codec[] | undefined

  /**
   * Compress with the implementations that Node and browsers share, so that the same
   * bytes and options yield the same CID on both. Writing is slower where a native
   * implementation exists; reading is unaffected. Not with `codecs`.
   *
   * @default false
   */
  deterministic?: boolean | undefined

  /**
   * Maximum number of original bytes, in frames, that one call compresses or decompresses
   * at a time, regardless of the file's size.
   *
   * @default 33554432
   */
  inFlightBytes?: number | undefined

  /** How to fetch blocks that are not stored locally. */
  fetch?: FetchInit | undefined
}

/** The methods of `@helia/unixfs`. Files are compressed if they shrink. */
export interface Ipfsz {
  /** The codecs that read and write files. */
  readonly codecs: readonly Codec[]

  /** Links between original and compressed CIDs. */
  readonly links: Links

  /**
   * Add files, directories and symlinks, like `unixfs.addAll`. Compressed files have
   * marked CIDs in the results. A directory with a compressed file at any depth has a
   * tree CID. `inFlightBytes` limits the total bytes of all files in progress.
   *
   * Paths are read as `unixfs.addAll` reads them: empty names and `.` are left out, so `./a//b` is `a/b`. Several
   * files may have the same path of one name, such as `a`, unless `wrapWithDirectory` is set: no directory holds them,
   * and each is a root of its own. Files that are `written` already must be in the blockstore.
   *
   * @throws {InvalidParametersError} a path contains `..`, an escaped slash, or more than
   *   1,024 names
   * @throws {AlreadyExistsError} two candidates have the same path in a directory, where the first would be lost
   */
  addAll (source: AddCandidateStream, options?: AddAllOptions): AsyncIterable<ImportResult>

  /**
   * Add bytes. Returns a marked CID, or a plain one if the bytes are stored uncompressed.
   *
   * @throws {UnknownCodecError}
   * @throws {InvalidLevelError}
   * @throws {InvalidFrameSizeError}
   * @throws {LinksUnavailableError} `link` is set and there is no datastore
   */
  addBytes (bytes: Uint8Array, options?: AddFileOptions): Promise<CID>

  /**
   * Add a stream of bytes, like `addBytes`. Memory does not grow with the stream's length. As in @helia/unixfs, nothing
   * may change the bytes of a chunk before the add ends: a stream that reuses its buffer must copy it.
   *
   * @throws {FileTooLargeError} the file has more than 2^27 frames
   */
  addByteStream (bytes: ByteStream, options?: AddFileOptions): Promise<CID>

  /**
   * Add a file inside a new directory. Returns the directory's CID, which is a tree CID
   * if the file is compressed. Read the file with `path`.
   */
  addFile (file: FileCandidate, options?: AddFileOptions): Promise<CID>

  /** Add an empty directory, and the parent directories in its path. */
  addDirectory (directory?: Partial<DirectoryCandidate>, options?: AddFileOptions): Promise<CID>

  /**
   * The blocks below a root, read as by the other methods. They share one search for peers, and one timeout. `signal`
   * applies to each call of `get` and `has` without a signal of its own.
   */
  blocks (root: CID, options?: BlocksOptions): BlocksBelow

  /**
   * Read a file: a marked CID yields the original bytes, a plain CID the stored bytes.
   * With an offset, only the root and the leaves that contain the range are fetched.
   *
   * An original CID that is not stored locally is read from the compressed file that it
   * is linked to. The whole file is verified against the original CID while it streams,
   * so a mismatch may be thrown after most of the bytes. Part of a file is read only if
   * its link is already checked (docs/limits.md, "Reading by an original CID"). If an
   * original is only partly stored, the rest is read from the compressed file, if the
   * link is checked.
   *
   * @throws {NotFoundError} a block is missing
   * @throws {NotAFileError}
   * @throws {MissingHeaderError}
   * @throws {InvalidHeaderError}
   * @throws {CorruptBlockError} a block's bytes do not match its CID
   * @throws {UnknownHashError} a block's hash function is not supported
   * @throws {DigestLengthError} a block's digest is too short to be trusted
   * @throws {CorruptFrameError}
   * @throws {UnreadableBaseError} a block of the file's base is missing or damaged
   * @throws {WrongBaseError} the file was not compressed with the base in its header
   * @throws {BaseTooCostlyError} so few bytes need too much of the file's base
   * @throws {FetchStalledError} no block arrived from the network within the timeout of `fetch`
   * @throws {LinkMismatchError} an original is linked to a file with other bytes
   * @throws {UncheckedLinkError} the CID is an original, and the range or directory cannot
   *   be checked, because its link is unchecked
   */
  cat (cid: CID, options?: CatOptions): AsyncIterable<Uint8Array>

  /**
   * Change the mode of a file or directory. `recursive` changes everything below it too.
   * Files stay compressed. The new CID has the same marker as the given one.
   */
  chmod (cid: CID, mode: number, options?: ChmodOptions): Promise<CID>

  /**
   * Copy a file or directory into a directory. Returns a tree CID if either was marked.
   *
   * @throws {AlreadyExistsError} the directory has an entry with that name, and `force` is not set
   * @throws {NotADirectoryError}
   * @throws {InvalidParametersError} the name is not a valid entry name
   */
  cp (source: CID, target: CID, name: string, options?: CpOptions): Promise<CID>

  /**
   * List a directory, with the statistics from each entry's root block. This fetches one
   * block per file, and none for a raw block.
   *
   * @throws {InvalidDagError} an entry's name is not valid, or occurs twice
   */
  ls (cid: CID, options?: LsOptions): AsyncIterable<DirectoryEntry>

  /** Create a directory in a directory. Returns a tree CID if the parent's CID is marked. */
  mkdir (cid: CID, dirname: string, options?: MkdirOptions): Promise<CID>

  /**
   * Open a file, directory or symlink: its path, its links, its root and its header are read once, and its bytes as
   * often as needed, with `read`. To describe and read a file, or to read several parts of one, this takes fewer reads
   * of blocks than `stat` and `cat`. Close the handle when you are done.
   *
   * @example Read the first and the last bytes of a file
   *
   * ```typescript
   * import { ipfsz } from '@ipfsz/core'
   * import { MemoryBlockstore } from 'blockstore-core'
   *
   * const fs = ipfsz({ blockstore: new MemoryBlockstore() })
   * const cid = await fs.addBytes(new Uint8Array(1_000_000))
   * const file = await fs.open(cid)
   * const size = Number(file.stats.size)
   *
   * for (const offset of [0, size - 100]) {
   *   for await (const bytes of file.read({ offset, length: 100 })) {
   *     console.info(offset, bytes.byteLength)
   *   }
   * }
   *
   * file.close()
   * ```
   *
   * @throws the errors of `stat`
   */
  open (cid: CID, options?: OpenOptions): Promise<FileHandle>

  /**
   * Remove an entry from a directory. Returns a tree CID if the directory's CID is marked.
   *
   * @throws {DoesNotExistError} a sharded directory has no such entry. An ordinary
   *   directory is returned unchanged, as in Helia
   */
  rm (cid: CID, path: string, options?: RmOptions): Promise<CID>

  /**
   * Return type, size and compression of a file or directory, from its root block.
   *
   * @throws {NotFoundError} the root block is missing
   * @throws {MissingHeaderError}
   * @throws {InvalidHeaderError}
   */
  stat (cid: CID, options?: StatOptions): Promise<Stats>
  stat (cid: CID, options?: ExtendedStatOptions): Promise<ExtendedStats>

  /** Change the mtime, by default to the current time. Otherwise like `chmod`. */
  touch (cid: CID, options?: TouchOptions): Promise<CID>

  /**
   * Read and check a whole file, or every file of a directory: all blocks and frames,
   * the seek table, and the content CID if the header has one. The bytes of a linked
   * original are verified against its CID, and the link is then stored as checked.
   * Throws the first failure: an error of `cat`, or one of the following.
   *
   * @throws {InvalidTrailerError} the seek table disagrees with the header, or other
   *   bytes follow the frames
   * @throws {ContentMismatchError} the bytes do not match the content CID
   * @throws {VerifyFailedError} an entry of the directory failed: `path` is its path,
   *   `cause` the reason
   */
  verify (cid: CID, options?: VerifyOptions): Promise<VerifyReport>
}

/** The methods that only read. */
export type IpfszReader = Pick<Ipfsz, 'codecs' | 'blocks' | 'cat' | 'ls' | 'open' | 'stat'>
