import type { OpenedFile } from './opened-file.ts'
import type { Stats } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** What the path of a request leads to. */
export interface Resolved {
  /** Marked where the root is marked: the CID that reads the original bytes. */
  cid: CID
  /** From its root block. Undefined: not UnixFS. */
  stats?: Stats
  /** Reads it, if it is a file. */
  file?: OpenedFile
  /** The plain CIDs of the root and of every name on the path, for `X-Ipfs-Roots`. */
  roots: CID[]
  /** The names that lead from the first root to `cid`: those that an /ipns name stands for, then those of the URL. */
  names: readonly string[]
  /** Seconds that an answer may be cached: of an IPNS record or DNSLink. Undefined: for ever. */
  ttl?: number
}
