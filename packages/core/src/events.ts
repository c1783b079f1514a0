import { CustomProgressEvent } from 'progress-events'
import type { CID } from 'multiformats/cid'
import type { ProgressEvent, ProgressOptions } from 'progress-events'

export interface DecidedProgress {
  /** The path of the file, if it has one. */
  path?: string
  /** The codec that the file will be compressed with, or `none`. */
  codec: string
  /** Why: the file type found in its first bytes, the trial of the first frame, or the options. */
  reason: 'type' | 'trial' | 'options' | 'empty'
  /** The dictionary of the file, if it is to have one. */
  dictionary?: ReferredFile
  /**
   * The earlier version that the file is to refer back to, if it has one that helps. If it helps only with a later part
   * of the file, the event comes again when that is found.
   */
  base?: ReferredFile
}

/** A file that others refer back to. */
export interface ReferredFile {
  /** Its plain CID. */
  cid: CID
  /** Bytes of its blocks. The size of each file that refers back to it, as links state it, includes them. */
  size: number
}

export interface FrameProgress {
  /** The frame's index in the file, from 0. */
  frame: number
  /** Original bytes in the frame. */
  size: number
  /** Compressed bytes of the frame. */
  length: number
}

/** A block that an add wrote again. */
export interface RepeatedProgress {
  cid: CID
  /** Bytes of the block. The sizes in links count it as often as it occurs, and it is stored once. */
  size: number
  /** The path of the file that it belongs to. Empty for directories, symlinks, and a file without a path. */
  path: string
  /** Whether the same file wrote it before. */
  isInFile: boolean
}

/** Progress of adding a file, besides Helia's own events. */
export type AddFrameEvents =
  | ProgressEvent<'ipfsz:add:repeated', RepeatedProgress>
  | ProgressEvent<'ipfsz:add:decided', DecidedProgress>
  | ProgressEvent<'ipfsz:add:frame', FrameProgress>

/** Progress of reading a file, besides Helia's own events. */
export type CatFrameEvents = ProgressEvent<'ipfsz:cat:frame', FrameProgress>

export interface VerifyProgress {
  cid: CID
  /** Relative to the verified directory; empty if the CID is a file. */
  path: string
  /** The number of bytes that reading the file returns. */
  size: bigint
}

/** Progress of verifying, once per file, besides the events of reading it. */
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
 * Reported when an original is read through a link. `unchecked`: nothing proves that the
 * bytes are the original's. `instead`: a block of the original is missing or damaged, and
 * the rest comes from the compressed file, whose bytes were compared with the original.
 */
export type LinkEvents =
  | ProgressEvent<'ipfsz:link:unchecked', LinkProgress>
  | ProgressEvent<'ipfsz:link:instead', LinkInsteadProgress>

export interface FetchedBlockProgress {
  cid: CID
  /** Bytes of the block. */
  size: number
  /** Milliseconds from the request to the arrival. */
  duration: number
  /** Who sent it, if known: a peer id, or the URL of a gateway. */
  sender?: string | undefined
  /** The peer that sent it, according to Helia. */
  provider?: CID | undefined
  /** How it was requested, such as `bitswap`, if known. */
  broker?: string | undefined
}

export interface FetchRetryProgress {
  cid: CID
  /** How many requests have failed so far. */
  attempt: number
  /** Nothing arrived (`stalled`), or every peer that was asked answered that it cannot send the block (`failed`). */
  reason: 'stalled' | 'failed'
  error: Error
}

/** Progress of fetching blocks from peers, besides Helia's own events. Local blocks report nothing. */
export type FetchEvents =
  | ProgressEvent<'ipfsz:fetch:block', FetchedBlockProgress>
  | ProgressEvent<'ipfsz:fetch:retry', FetchRetryProgress>

type IpfszEvents = AddFrameEvents | CatFrameEvents | VerifyFileEvents | FetchEvents | LinkEvents

type Detail<Events, Type> = Extract<Events, { type: Type }> extends { detail: infer D } ? D : never

/** Anything with a handler for at least one kind of event. */
type EmitOptions =
  | ProgressOptions<AddFrameEvents>
  | ProgressOptions<CatFrameEvents>
  | ProgressOptions<VerifyFileEvents>
  | ProgressOptions<FetchEvents>
  | ProgressOptions<LinkEvents>

export function emit<Type extends IpfszEvents['type']> (
  options: EmitOptions,
  type: Type,
  detail: Detail<IpfszEvents, Type>
): void {
  const onProgress = options.onProgress as ((event: ProgressEvent) => void) | undefined

  onProgress?.(new CustomProgressEvent(type, detail))
}
