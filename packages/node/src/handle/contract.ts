// Room: what `openRepo` returns. `repo-handle.ts` turns each method into one call of another room.
// Above 250 lines: what a handle does is read as one contract, and most of it is documentation.
import type { AddedEntry, AddedRoot, AddSourcesOptions, StreamSource } from '../add/add-options.ts'
import type { ExportCarOptions, ExportedCar } from '../car/export-car.ts'
import type { CarSource, ImportCarOptions, ImportedCars } from '../car/import-car.ts'
import type { Collected, CollectOptions } from '../collect/collect.ts'
import type { NetworkOptions } from '../daemon/access.ts'
import type { DiffContentOptions, Differences } from '../diff/diff-content.ts'
import type { NodeProgressOptions } from '../events.ts'
import type { GetContentOptions, Written } from '../get/get-content.ts'
import type { ForgetVersionsOptions, JudgedVersion } from '../history/forget-versions.ts'
import type { PinnedVersion } from '../history/history.ts'
import type { KeepRules } from '../history/keep-rules.ts'
import type { AddLinkOptions } from '../links/links.ts'
import type { IndexOriginalsOptions } from '../originals/originals.ts'
import type { ListPinsOptions, PinInfo } from '../pins/pins.ts'
import type { RepairOptions, RepairReport } from '../repair/repair-content.ts'
import type { Version } from '../repo/history.ts'
import type { RepoStats } from '../stats/count-repo.ts'
import type { MeasureUsageOptions, UsageReport } from '../usage/measure-usage.ts'
import type { VerifyContentOptions } from '../verify/verify-content.ts'
import type { VerifiedPins, VerifyPinsOptions } from '../verify/verify-pins.ts'
import type { Ipfsz, Link, VerifyReport } from '@ipfsz/core'
import type { Original } from '@ipfsz/core/originals'
import type { GatewayBlocks } from '@ipfsz/gateway'
import type { CID } from 'multiformats/cid'

/** Options that every call takes. */
export interface CallOptions extends NodeProgressOptions {
  /** Ends the call, which then rejects with the reason of the signal. What it has not finished is not stored. */
  signal?: AbortSignal | undefined
}

/** How a repo reaches other nodes. */
export interface RepoNetwork extends NetworkOptions {
  /**
   * Multiaddrs of bootstrap peers, for a temporary node if no daemon runs on the repo.
   *
   * @default none: only the daemon, and given peers, gateways and routers are asked
   */
  bootstrap?: readonly string[] | undefined
}

export interface OpenRepoInit extends NodeProgressOptions {
  /**
   * Whether to create the repo if there is none.
   *
   * @default true
   */
  create?: boolean | undefined
  /**
   * How a new repo keeps its blocks: as files, or in packs. One that exists keeps them as it does.
   *
   * @default 'packs'
   */
  layout?: 'files' | 'packs' | undefined
  /**
   * How to reach other nodes.
   *
   * @default other nodes are never asked
   */
  network?: RepoNetwork | undefined
  /** Ends all calls. */
  signal?: AbortSignal | undefined
}

/** A CID, and a path below it. */
export interface ContentPath {
  cid: CID
  path?: string | undefined
}

/**
 * What to read or pin: a CID, with a path below it; or a text that begins with a CID, with an IPNS or DNS name as in
 * `/ipns/example.com/a`, or with the name of a pin.
 */
export type Target = CID | ContentPath | string

type ForOne = 'base' | 'kubo' | 'onEntry' | 'onlyHash' | 'onRoot' | 'wrap'

type OfDirectories = 'cache' | 'gitignore' | 'hidden' | 'ignore' | 'preserve' | 'threads'

export interface AddDataOptions extends CallOptions, Omit<AddSourcesOptions, ForOne | OfDirectories> {
  /** An earlier version, of which only the differences are stored; or `latest`, for the last one of the same `name`. */
  base?: CID | ContentPath | 'latest' | undefined
  /** The name of the pin, and of the history that `base: 'latest'` continues. */
  name?: string | undefined
  /** The mode to keep, such as 0o644. */
  mode?: StreamSource['mode']
  /** The time to keep. */
  mtime?: StreamSource['mtime']
}

export interface AddPathOptions extends CallOptions, Omit<AddSourcesOptions, ForOne> {
  /** An earlier version, of which only the differences are stored; or `latest`, for the last one of the same `name`. */
  base?: CID | ContentPath | 'latest' | undefined
  /** The name of the pin, and of the history that `base: 'latest'` continues. By default the last name of the path. */
  name?: string | undefined
}

export interface AddDirectoryOptions extends AddPathOptions {
  /** Called and awaited for each file and symlink in the directory, once all of it is stored and pinned. */
  onEntry?: ((entry: AddedEntry) => void | Promise<void>) | undefined
}

export interface WithFilesOptions extends CallOptions {
  /**
   * What will be read: gateways then send it with one request. `block`: single blocks, as of ranges; `entity`: a file,
   * or the list of a directory; `all`: everything below.
   *
   * @default 'entity'
   */
  scope?: 'block' | 'entity' | 'all' | undefined
}

export interface GetOptions extends CallOptions, Omit<GetContentOptions, 'output' | 'place'> {}

/** The pins of a repo: what a collection keeps. */
export interface RepoPinned {
  /**
   * Pin what is in the repo. All its blocks are read, checked, and synced to disk.
   *
   * @throws {DamagedDagError} a block is missing or damaged
   */
  add (target: Target, options?: CallOptions): Promise<void>

  /**
   * Unpin. The next collection deletes the blocks, unless another pin needs them.
   *
   * @throws {NotPinnedError}
   */
  rm (target: Target, options?: CallOptions): Promise<void>

  /**
   * List all pins, in no particular order.
   *
   * @throws {PinRecordError} a record cannot be read, and there is no `onDamaged`
   */
  ls (options?: CallOptions & ListPinsOptions): AsyncIterable<PinInfo>
}

/** Links between the CIDs of uncompressed files and the compressed files with the same bytes. */
export interface RepoLinked {
  /**
   * Link an original to a compressed file, whose bytes are checked against it.
   *
   * @throws {LinkMismatchError} the file has other bytes
   * @throws {UsageError} the first is marked, or the second is not
   */
  add (original: Target, compressed: Target, options?: CallOptions & AddLinkOptions): Promise<Link>

  /**
   * Delete the links of an original, or of a compressed file.
   *
   * @throws {NotLinkedError}
   */
  rm (target: Target, options?: CallOptions): Promise<void>

  /** List all links. */
  ls (options?: CallOptions): AsyncIterable<Link>
}

/** The index of the CIDs that linked files and trees have without compression: daemons and gateways serve them. */
export interface RepoOriginals {
  /**
   * Index the originals of targets, or of all linked files and pinned trees.
   *
   * @returns how many of several files were not indexed
   * @throws {UnlinkedFileError} what is the only target is not linked
   */
  index (targets?: readonly Target[], options?: CallOptions & IndexOriginalsOptions): Promise<number>

  /** List those that are indexed, in no particular order. */
  ls (options?: CallOptions): AsyncIterable<Original>
}

/** What was added with `base: 'latest'`. */
export interface RepoHistory {
  /**
   * The versions of a name, the newest first.
   *
   * @throws {NoHistoryError}
   */
  versions (name: string, options?: CallOptions): AsyncIterable<PinnedVersion>

  /** The names that have a history, with the last version of each, and how many there are. */
  names (options?: CallOptions): Promise<Array<{ last: Version, versions: number }>>

  /**
   * Forget the versions of a name. Their pins stay.
   *
   * @returns how many there were
   * @throws {NoHistoryError}
   */
  forget (name: string, options?: CallOptions): Promise<number>

  /**
   * Forget and unpin the versions of a name that no rule keeps. Rules count pinned versions alone.
   *
   * @returns all versions, the newest first, with the rules that keep each
   * @throws {UsageError} the rules would keep nothing
   * @throws {NoHistoryError}
   */
  retain (name: string, rules: KeepRules, options?: CallOptions & ForgetVersionsOptions): Promise<JudgedVersion[]>
}

/**
 * An open repo. Several handles, in one process or in many, may have the same repo open, and a daemon may run on it:
 * each call takes the locks that it needs, and waits for others as long as they live.
 *
 * What a promise resolves for is on disk, and survives a power cut, unless `sync` is off. A call that failed or was
 * aborted leaves blocks that the next collection deletes, and nothing else.
 */
export interface OpenRepo extends AsyncDisposable {
  /** The directory, absolute. */
  readonly path: string

  /**
   * Reads what is in the repo, as `@ipfsz/core` does: `cat`, `ls`, `stat`, `verify`, `blocks`, `links`. Use it only
   * until the handle is closed. Nothing is fetched: `withFiles` does that. What its other methods add is neither synced
   * nor protected from a collection.
   */
  readonly files: Ipfsz

  /** The blocks of the repo, for `createGateway` of `@ipfsz/gateway`. Nothing is fetched. */
  readonly blocks: GatewayBlocks

  readonly pins: RepoPinned
  readonly links: RepoLinked
  readonly history: RepoHistory
  readonly originals: RepoOriginals

  /**
   * Add bytes, or a stream of bytes, as a file. It is compressed if it shrinks, and pinned.
   *
   * @throws {InvalidLevelError} and the other errors of `addByteStream` of `@ipfsz/core`
   * @throws {InvalidBaseError} `base` is not a file
   */
  add (content: Uint8Array | AsyncIterable<Uint8Array>, options?: AddDataOptions): Promise<AddedRoot>

  /**
   * Add a file from disk.
   *
   * @param path - relative ones start from the working directory of the process
   * @throws {TreeEntryError} it cannot be read, or is replaced meanwhile
   */
  addFile (path: string, options?: AddPathOptions): Promise<AddedRoot>

  /**
   * Add a directory from disk, and everything in it. Symlinks in it are added as symlinks. Nothing outside of it is
   * read, even if other programs change it meanwhile.
   *
   * @param path - relative ones start from the working directory of the process
   * @throws {TreeEntryError} an entry cannot be added, or is not a file, a directory or a symlink
   */
  addDirectory (path: string, options?: AddDirectoryOptions): Promise<AddedRoot>

  /**
   * Write a file or a directory to disk. It appears only when it is complete, and nothing is written through a symlink.
   * What is missing is fetched, if the handle has a network.
   *
   * @param path - where to write; if it ends in a slash, the directory to write into
   * @throws {TreeEntryError} something has the path (`problem` says what), or an entry cannot be written under its name
   * @throws {OutputTooLargeError}
   * @throws {NoRoomError}
   */
  get (target: Target, path: string, options?: GetOptions): Promise<Written>

  /**
   * Read what a target leads to. What is missing is fetched, if the handle has a network, and stored in the repo.
   *
   * @param work - uses the files before it returns. They read the CID, and what is below it
   * @throws {NameError} a name leads nowhere
   */
  withFiles<T> (
    target: Target,
    work: (files: Ipfsz, cid: CID, path: string) => Promise<T>,
    options?: WithFilesOptions
  ): Promise<T>

  /**
   * Unpin, and delete the links. The next collection deletes the blocks, unless another pin needs them.
   *
   * @throws {NotPinnedError} it is neither pinned nor linked, nor in the repo
   */
  rm (target: Target, options?: CallOptions): Promise<void>

  /**
   * Delete the blocks that no pin reaches, once nothing adds to the repo.
   *
   * @throws {NothingPinnedError} the blocks were never pinned, and `force` is not set
   * @throws {DamagedDagError} a block below a pin is missing, so what it reaches is unknown. Nothing was deleted
   */
  collect (options?: CallOptions & CollectOptions): Promise<Collected>

  /**
   * Read every block and frame of a file or directory of the repo, and check them. Nothing is fetched.
   *
   * @throws the errors of `verify` of `@ipfsz/core`, for the first that is wrong
   */
  verify (target: Target, options?: CallOptions & VerifyContentOptions): Promise<VerifyReport>

  /** Read every block and frame of all that is pinned, and check them. Nothing is fetched. */
  verifyPins (options?: CallOptions & VerifyPinsOptions): Promise<VerifiedPins>

  /**
   * Read every block of targets, or of all pins, and fetch the missing and damaged ones, if the handle has a network.
   *
   * @returns also what is still lost: that is no error
   */
  repair (targets?: readonly Target[], options?: CallOptions & RepairOptions): Promise<RepairReport>

  /** Find the paths at which two files or directories differ. What is missing is fetched, if there is a network. */
  diff (before: Target, after: Target, options?: CallOptions & DiffContentOptions): Promise<Differences>

  /** Measure what targets, or all pins, take in the repo. Each block counts once. */
  usage (targets?: readonly Target[], options?: CallOptions & MeasureUsageOptions): Promise<UsageReport>

  /** Count all blocks, and what compression saves. */
  stats (options?: CallOptions): Promise<RepoStats>

  /**
   * Write files and directories into a CAR, whose roots are the plain CIDs. Nothing is fetched.
   *
   * @param output - the path of a file, which is replaced when the CAR is complete; or what is called with the bytes,
   * and awaited
   * @throws {NotFoundError} a block is missing
   * @throws {UsageError} the path is a device, a pipe or a socket
   * @throws {TreeEntryError} the path is a directory
   */
  exportCar (
    targets: readonly Target[],
    output: string | ((bytes: Uint8Array) => Promise<void>),
    options?: CallOptions & ExportCarOptions
  ): Promise<ExportedCar>

  /**
   * Store the blocks of CARs, and pin their roots.
   *
   * @param sources - files, or streams of bytes. `name` is for messages
   * @throws {InvalidCarError} one is no CAR, is truncated, or has one root, which is incomplete
   * @throws {IncompleteError} a CAR has too many incomplete roots: the others were not checked
   */
  importCar (sources: readonly CarSource[], options?: CallOptions & ImportCarOptions): Promise<ImportedCars>

  /** End all calls, which reject with a RepoClosedError, and wait until they have. */
  close (): Promise<void>
}
