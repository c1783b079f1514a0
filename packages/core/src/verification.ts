import type { VerifyFileEvents } from './events.ts'
import type { CatEvents, CatOptions } from './unixfs.ts'
import type { CID } from 'multiformats/cid'
import type { ProgressOptions } from 'progress-events'

export type VerifyEvents = CatEvents | VerifyFileEvents

export interface VerifyOptions extends Omit<CatOptions, 'offset' | 'length' | 'onProgress'>, ProgressOptions<VerifyEvents> {}

/** What was read, all of it as it should be. */
export interface VerifyReport {
  /** The plain CID of the root. */
  cid: CID

  /** Bytes that reading gives: of all files, where it is a directory. */
  size: bigint

  /** How many blocks were read, one that is linked twice counted twice. */
  blocks: bigint

  /** How many frames were decompressed. */
  frames: number

  /** How many files there are: 1, where it is no directory. */
  files: number

  /** The CID that the bytes have uncompressed, where the file's header names one. */
  contentCid?: CID
}
