import type { VerifyFileEvents } from './events.ts'
import type { SeenBlocks } from './dag/seen-blocks.ts'
import type { CatEvents, CatOptions } from './unixfs.ts'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

export type VerifyEvents = CatEvents | VerifyFileEvents

export interface VerifyOptions extends
  Omit<CatOptions, 'offset' | 'length' | 'onProgress'>,
  ProgressOptions<VerifyEvents> {
  /** The blocks that count no more in `blocks`: what is read is added to them. By default nothing. */
  seen?: SeenBlocks

  /** The bases that are not verified any more: what is verified is added to them. By default nothing. */
  bases?: SeenBlocks
}

/** The totals of a successful verification. */
export interface VerifyReport {
  /** The plain CID of the root. */
  cid: CID

  /** Bytes that reading returns: of all files, if it is a directory. */
  size: bigint

  /** How many different blocks were read, those of bases included. */
  blocks: bigint

  /** How many frames were decompressed. */
  frames: number

  /** How many files were read: 1 if the CID is a file. */
  files: number

  /** The CID of the uncompressed bytes, if the file's header names it. */
  contentCid?: CID
}
