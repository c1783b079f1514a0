import type { StoredAs } from './value/read-value.ts'
import type { CID } from 'multiformats/cid'
import type { ProgressEvent } from 'progress-events'

/** What became of a block. */
export type ConvertOutcome = 'converted' | 'unchanged' | 'unreadable'

export interface ConvertProgress {
  /** As the child lists it: often with another codec than it was put with. The multihash is right. */
  cid: CID
  outcome: ConvertOutcome
  /** What the block is stored as from now on. Undefined where it could not be read. */
  storedAs: StoredAs | undefined
  /** Bytes that are stored for it from now on. */
  storedSize: number
  /** Why it could not be read. */
  error?: unknown
}

/** What converting reports for each block. */
export type ConvertEvents = ProgressEvent<'ipfsz:blockstore:convert', ConvertProgress>

export interface StatsProgress {
  /** Blocks that have been looked at. */
  blocks: number
  /** Bytes that are stored for them. */
  storedSize: number
}

/** What counting reports for each block. */
export type StatsEvents = ProgressEvent<'ipfsz:blockstore:stats', StatsProgress>
