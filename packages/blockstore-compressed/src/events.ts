import type { StoredAs } from './value/read-value.ts'
import type { CID } from 'multiformats/cid'
import type { ProgressEvent } from 'progress-events'

/** What `convert` did with a block. */
export type ConvertOutcome = 'converted' | 'unchanged' | 'unreadable'

export interface ConvertProgress {
  /** As the inner store lists it: often with another codec than it was put with, but the same multihash. */
  cid: CID
  outcome: ConvertOutcome
  /** What the block is stored as now, or undefined if it is unreadable. */
  storedAs: StoredAs | undefined
  /** Bytes stored for the block now. */
  storedSize: number
  /** Why the block is unreadable. */
  error?: unknown
}

/** The events of `convert`, one for each block. */
export type ConvertEvents = ProgressEvent<'ipfsz:blockstore:convert', ConvertProgress>

export interface StatsProgress {
  /** Blocks counted so far. */
  blocks: number
  /** Bytes stored for these blocks. */
  storedSize: number
}

/** The events of `stats`, one for each block. */
export type StatsEvents = ProgressEvent<'ipfsz:blockstore:stats', StatsProgress>
