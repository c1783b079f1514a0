import { CustomProgressEvent } from 'progress-events'
import type { CID } from 'multiformats/cid'
import type { ProgressEvent, ProgressOptions } from 'progress-events'

export interface DecidedProgress {
  /** The path of the file, where it has one. */
  path?: string
  /** The codec that the file will be compressed with, or `none`. */
  codec: string
  /** Why: the type found by its first bytes, the trial of the first frame, or the options. */
  reason: 'type' | 'trial' | 'options' | 'empty'
}

export interface FrameProgress {
  /** The number of the frame in its file, from 0. */
  frame: number
  /** Original bytes in the frame. */
  size: number
  /** Compressed bytes of the frame. */
  length: number
}

/** What adding a file reports, besides Helia's own events. */
export type AddFrameEvents =
  | ProgressEvent<'ipfsz:add:decided', DecidedProgress>
  | ProgressEvent<'ipfsz:add:frame', FrameProgress>

/** What reading a file reports, besides Helia's own events. */
export type CatFrameEvents = ProgressEvent<'ipfsz:cat:frame', FrameProgress>

export interface VerifyProgress {
  cid: CID
  /** From the directory that is verified, empty where it is a file that is. */
  path: string
  /** Bytes of the file, as it is read. */
  size: bigint
}

/** What verifying reports for each file, besides what reading it does. */
export type VerifyFileEvents = ProgressEvent<'ipfsz:verify:file', VerifyProgress>

export interface LinkProgress {
  original: CID
  compressed: CID
}

export interface LinkInsteadProgress extends LinkProgress {
  /** Why a block of the original could not be read. */
  error: Error
}

/**
 * What reading by an original reports. `unchecked`: nothing shows that what was read is
 * what it names. `instead`: a block of it is missing or damaged, and what follows is
 * read from the compressed file, whose bytes were compared with it.
 */
export type LinkEvents =
  | ProgressEvent<'ipfsz:link:unchecked', LinkProgress>
  | ProgressEvent<'ipfsz:link:instead', LinkInsteadProgress>

export interface FetchedBlockProgress {
  cid: CID
  /** Bytes of the block. */
  size: number
  /** How long it took since it was asked for, in milliseconds. */
  duration: number
  /** The peer that sent it, where that is told. */
  provider?: CID
  /** How it was asked for, as `bitswap`, where that is told. */
  broker?: string
}

export interface FetchRetryProgress {
  cid: CID
  /** How often it has been asked for in vain. */
  attempt: number
  /** Nothing came, or those who were asked said that they cannot send it. */
  reason: 'stalled' | 'failed'
  error: Error
}

/** What fetching blocks from others reports, besides Helia's own events. What is here reports nothing. */
export type FetchEvents =
  | ProgressEvent<'ipfsz:fetch:block', FetchedBlockProgress>
  | ProgressEvent<'ipfsz:fetch:retry', FetchRetryProgress>

type IpfszEvents = AddFrameEvents | CatFrameEvents | VerifyFileEvents | FetchEvents | LinkEvents

type Detail<Events, Type> = Extract<Events, { type: Type }> extends { detail: infer D } ? D : never

/** Report progress, with the detail that belongs to the event. */
export function emit<Type extends IpfszEvents['type']> (
  options: ProgressOptions<AddFrameEvents> | ProgressOptions<CatFrameEvents> | ProgressOptions<VerifyFileEvents> | ProgressOptions<FetchEvents> | ProgressOptions<LinkEvents>,
  type: Type,
  detail: Detail<IpfszEvents, Type>
): void {
  const onProgress = options.onProgress as ((event: ProgressEvent) => void) | undefined

  onProgress?.(new CustomProgressEvent(type, detail))
}
