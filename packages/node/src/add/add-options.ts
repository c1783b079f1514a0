import type { KnownCounts } from './known-files.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { Added, TreeContent } from '../disk/add-tree.ts'
import type { ChangedFiles } from '../disk/progress.ts'
import type { CompressionOptions, Mtime } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** What stands for the last version that was added under the same name. */
export const LATEST = 'latest'

/** A file or directory on disk. */
export interface PathSource {
  /** Relative paths start from the working directory of the process. */
  path: string
  /**
   * The name of its pin, of its history, and in events.
   *
   * @default the last name of the path
   */
  name?: string | undefined
}

/** Bytes that have no path. */
export interface StreamSource {
  /** Called once, when it is its turn. */
  open: () => AsyncIterable<Uint8Array>
  /** How many there will be, for progress. Undefined: unknown. */
  size?: number | undefined
  /**
   * The name of its pin, of its history, and in events.
   *
   * @default none
   */
  name?: string | undefined
  mode?: number | undefined
  mtime?: Mtime | undefined
}

export type AddSource = PathSource | StreamSource

export interface AddSourcesOptions {
  /** @default that of `@ipfsz/core`: zstd */
  compression?: Omit<CompressionOptions, 'base'> | undefined
  /**
   * An earlier version of each source, of which only the differences are stored: a CID, with a path below it, or
   * `latest` for the last version that was added with `latest` under the same name.
   */
  base?: Pick<CidPath, 'cid' | 'path'> | typeof LATEST | undefined
  /**
   * The name of the history that `latest` continues.
   *
   * @default the name of each source
   */
  name?: string | undefined
  /**
   * Use the codec builds that browsers use, so that the CID is the same there.
   *
   * @default false
   */
  deterministic?: boolean | undefined
  /**
   * Compute the CID of each uncompressed file, and link it to the compressed file.
   *
   * @default false
   */
  link?: boolean | undefined
  /**
   * Put all sources, which must have paths, into one new directory.
   *
   * @default false
   */
  wrap?: boolean | undefined
  /**
   * Compute CIDs, and store nothing.
   *
   * @default false
   */
  onlyHash?: boolean | undefined
  /**
   * Compute CIDs and sizes, with the size of the blocks that the repo does not have (`newSize`), and store nothing.
   *
   * @default false
   */
  dryRun?: boolean | undefined
  /**
   * Pin each root, so that a collection keeps it.
   *
   * @default true
   */
  pin?: boolean | undefined
  /**
   * Sync to disk before a root is reported, so that what its CID names survives a power cut.
   *
   * @default true
   */
  sync?: boolean | undefined
  /**
   * In directories, also add names that begin with a dot.
   *
   * @default false
   */
  hidden?: boolean | undefined
  /** Patterns of directory entries to skip, as in a .gitignore file. */
  ignore?: readonly string[] | undefined
  /**
   * In directories, leave out `.git` and what git ignores.
   *
   * @default false
   */
  gitignore?: boolean | undefined
  /**
   * Metadata of files on disk to keep.
   *
   * @default neither
   */
  preserve?: { mode?: boolean, mtime?: boolean } | undefined
  /**
   * How many worker threads read and compress the small files of directories. 0: none.
   *
   * @default as many as there are cores, at most 8
   */
  threads?: number | undefined
  /**
   * Whether files that did not change since they were added with the same options are taken as they were stored, and
   * not read again: those with the same size, times and inode. If false, all are read.
   *
   * @default on file systems of this machine, where each change of a file gives it another ctime
   */
  cache?: boolean | undefined
  /**
   * Whether to find out how many bytes directories have while they are added, so that the step gets a total.
   *
   * @default false
   */
  measures?: boolean | undefined
  /** The address of the RPC API of a running Kubo, a URL or a multiaddr, to add to it instead of the repo. */
  kubo?: string | undefined
  /**
   * Called and awaited for each file and symlink of a directory, before `onRoot`: once the root is stored and pinned.
   * Until then they wait on disk, where there may be millions.
   */
  onEntry?: ((entry: AddedEntry) => void | Promise<void>) | undefined
  /** Called and awaited for each source, once it is stored, synced and pinned, in the order of the sources. */
  onRoot?: ((root: AddedRoot) => void | Promise<void>) | undefined
}

/** What is in an added directory. `path` begins with the name of the directory. */
export interface AddedEntry extends Added {
  plainCid: CID
  /** Where a gateway serves it, if one runs on the repo. */
  url: string | undefined
}

/** A source that was added. */
export interface AddedRoot {
  /** Marked if it is compressed, or holds something that is. */
  cid: CID
  /** The CID of the same blocks for nodes without IPFSz. */
  plainCid: CID
  /** That of the source. Empty for bytes without a name, and for the directory of `wrap`. */
  name: string
  type: 'file' | 'directory'
  /** Original size in bytes; of a directory, of all its files together. */
  size: number | bigint
  /** Bytes of its own blocks, as in `stat`. */
  storedSize: bigint
  /** storedSize / size */
  ratio: number
  /** `none` if it is not compressed, and of a directory. */
  codec: string
  /** Where a gateway serves it, if one runs on the repo. */
  url: string | undefined
  /** How many files got each codec; `none` for those that would not shrink. */
  codecs: Readonly<Record<string, number>>
  /** Of a directory: how many files are in it, how many of them are compressed, and who can read those. */
  content?: TreeContent | undefined
  /** Hidden entries that were left out. */
  hidden: number
  /** Files that are executable, and will not be when they are read back. */
  executables: number
  /** Files that were written to while they were read, so that their bytes may be of several versions. */
  changed: ChangedFiles
  /** Bytes of blocks that were not there before, of a source that has an earlier version. */
  newSize?: number | undefined
  /** Of what was added before: how many of its files are new, have changed, or are as they were. */
  known?: KnownCounts | undefined
  /** Of a compressed file: the tool that reads the bytes of the plain CID. See `readableWith` of `@ipfsz/core`. */
  readableWith?: string | undefined
}
