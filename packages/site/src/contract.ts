import type { RepoNetwork } from '@ipfsz/node'
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
   * The last release, of which only the differences are stored: the CID of a published site or of its tree, with a path
   * below it, or as text, which may be a domain with a DNSLink or another name; or `latest` for the last one that was
   * added with `latest` from a directory of the same name. The repo must have it.
   */
  base?: CID | { cid: CID, path: string } | string | undefined
  /**
   * How to resolve the name of `base`: DNS is asked if there is anything in it to ask, such as a gateway.
   *
   * @default other nodes are never asked
   */
  network?: RepoNetwork | undefined
  /**
   * Also write the site to a CAR at this path, which appears when it is complete. The same files, options and base make
   * the same bytes on every machine, with the same version of IPFSz: they are compressed by the codec builds that
   * browsers use.
   */
  car?: string | undefined
  /**
   * Whether `car` may replace a file.
   *
   * @default false
   */
  force?: boolean | undefined
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
  /** Of the files, as they are stored and sent, without the bases that they share with earlier releases. */
  storedSize: number
  /** Of the files and their bases: what a visitor fetches who comes for the first time, and sees all. */
  fetchSize: number
  /** Bytes of blocks of the site that the repo did not have before. */
  newSize: number
  /** Bytes of the CAR, if one was written. Its root is `cid`. */
  carSize: number | undefined
  /** Hidden entries that were left out. */
  hidden: number
  /** Files that were written to while they were read. */
  changed: ChangedFiles
  /** Where a gateway on this machine shows it, if one runs on the repo. */
  url: string | undefined
}
