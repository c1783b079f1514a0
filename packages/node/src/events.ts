import { CustomProgressEvent } from 'progress-events'
import type { LockFile } from './lock-file.ts'
import type { CID } from 'multiformats/cid'
import type { ProgressEvent } from 'progress-events'

/** What was fetched while a repo was open to read. */
export interface Fetched {
  blocks: number
  bytes: number
  /** How many of the blocks replaced a damaged block of the repo. */
  replaced: number
  /** By peer id, or the URL of a gateway. */
  senders: ReadonlyMap<string, { blocks: number, bytes: number }>
}

/**
 * What a node reports while it works:
 *
 * - `ipfsz:repo:waiting`: another process holds the lock of the repo; `ipfsz:repo:locked`: it does no longer
 * - `ipfsz:fetch:begin` and `ipfsz:fetch:end`: the repo is open to read, and blocks may be fetched
 * - `ipfsz:fetch:asked`: a block below `root` was asked for
 * - `ipfsz:fetch:arrived`: one arrived, that many milliseconds after it was asked for
 * - `ipfsz:fetch:lacks`: a peer that the caller named does not have a block; once for each peer
 * - `ipfsz:warning`: something failed that does not end the work. A minor one helps only to find a fault
 */
export type NodeEvents =
  | ProgressEvent<'ipfsz:repo:waiting', { repo: string, holder: LockFile }>
  | ProgressEvent<'ipfsz:repo:locked', undefined>
  | ProgressEvent<'ipfsz:fetch:begin', undefined>
  | ProgressEvent<'ipfsz:fetch:asked', { root: CID }>
  | ProgressEvent<'ipfsz:fetch:arrived', { sender: string, bytes: number, milliseconds: number }>
  | ProgressEvent<'ipfsz:fetch:lacks', { peer: string, cid: CID, root: CID }>
  | ProgressEvent<'ipfsz:fetch:end', Fetched>
  | ProgressEvent<'ipfsz:warning', { message: string, isMinor: boolean }>

/** Anything with a handler for events of a node. */
export interface NodeProgressOptions {
  onProgress?: ((event: NodeEvents) => void) | undefined
}

type Detail<Type> = Extract<NodeEvents, { type: Type }>['detail']

/** Report what happens. */
export function emit<Type extends NodeEvents['type']> (
  { onProgress }: NodeProgressOptions,
  type: Type,
  detail: Detail<Type>
): void {
  onProgress?.(new CustomProgressEvent<unknown>(type, detail) as NodeEvents)
}
