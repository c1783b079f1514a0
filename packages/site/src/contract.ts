import type { ChangedFiles } from '@ipfsz/node/add'
import type { NodeProgressOptions } from '@ipfsz/node/events'
import type { MadeSite } from './make-site.ts'
import type { CID } from 'multiformats/cid'

export interface PublishSiteOptions extends NodeProgressOptions {
  /**
   * Patterns of files that are also stored plain, for crawlers and browsers without service workers, as in a .gitignore
   * file: pages, and what they need.
   */
  keep?: readonly string[] | undefined
  /** Patterns of files to leave out. */
  ignore?: readonly string[] | undefined
  /**
   * Whether to publish files whose names begin with a dot.
   *
   * @default false
   */
  hidden?: boolean | undefined
  /**
   * The level of zstd.
   *
   * @default 19
   */
  level?: number | undefined
  /** `ranges` makes parts of large files cheap to read, as of databases. */
  optimize?: 'ranges' | undefined
  /**
   * Store once what small files of a kind have in common.
   *
   * @default false
   */
  dictionaries?: boolean | undefined
  /**
   * What errors and events call the directory.
   *
   * @default its path
   */
  name?: string | undefined
  /** Ends the work, which then rejects with its reason. */
  signal?: AbortSignal | undefined
}

/** A site that was published. Sizes are in bytes. `cid` is the directory that any gateway shows, and is pinned. */
export interface PublishedSite extends MadeSite {
  /** The compressed files, without the pages that show them. */
  tree: CID
  files: number
  /** Of the files, as they were built. */
  size: number
  /** Of the files, as they are stored and sent. */
  storedSize: number
  /** Hidden entries that were left out. */
  hidden: number
  /** Files that were written to while they were read. */
  changed: ChangedFiles
  /** Where a gateway on this machine shows it, if one runs on the repo. */
  url: string | undefined
}
