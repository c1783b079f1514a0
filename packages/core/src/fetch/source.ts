import type { FilePart } from '../dag/block.ts'
import type { CID } from 'multiformats/cid'
import type { ProgressEvent } from 'progress-events'

export interface SourceBlock {
  bytes: Uint8Array
  /**
   * Whether the source has verified it against its CID, to identify the sender of wrong bytes. Otherwise the caller
   * verifies it.
   *
   * @default false
   */
  verified?: boolean | undefined
  /**
   * Whether the source has stored it in the blockstore. Otherwise the caller stores it.
   *
   * @default false
   */
  stored?: boolean | undefined
  /** The sender: a peer ID, or the URL of a gateway. */
  sender?: string | undefined
  /** The peer that sent it, as in Helia's events. */
  provider?: CID | undefined
  /** How it was requested, as in Helia's events, such as `bitswap`. */
  broker?: string | undefined
}

export interface SourceOptions {
  /** The plain CID of the root that is read. */
  root: CID
  /** Bytes of the block, if known. */
  size?: number | undefined
  /** The range of the file in this block, and how far the file is read. */
  part?: FilePart | undefined
  /**
   * Whether it is much later in the DAG than blocks that are needed now. A source that sends the DAG in order would
   * send it late.
   */
  isFarAhead?: boolean | undefined
  /** Whether the blockstore has the block, but damaged. */
  damaged?: boolean | undefined
  /** Peers that may have it, in the form that Helia accepts. */
  providers?: unknown[] | undefined
  onProgress?: ((event: ProgressEvent) => void) | undefined
  /** Aborted when the block is no longer wanted, and when it takes too long: then all sources are asked, at once. */
  signal: AbortSignal
}

/** A source of missing and damaged blocks. It needs no timeout: it continues until the signal aborts. */
export interface BlockSource {
  /**
   * Fetch a block.
   *
   * @throws {NotFoundError} it does not have the block. A FetchStalledError, a GatewaysFailedError and Helia's
   *   LoadBlockFailedError mean the same: the next source is asked. Other errors end the read
   */
  fetch (cid: CID, options: SourceOptions): Promise<SourceBlock>

  /** Called when a block is read from the blockstore, so a response does not need to include it. */
  found? (cid: CID, options: Pick<SourceOptions, 'part'>): void

  /** Why the gateways that were asked last sent nothing, for the error. */
  failures? (): readonly Error[]

  /**
   * Called when a block is given up, because nothing arrived for the timeout.
   *
   * @param time - the timeout, in milliseconds
   * @returns how many peers it knows that may have the blocks below the root, for the error
   */
  gaveUp? (root: CID, time: number): Promise<number | undefined>
}

const REFUSALS = new Set(['NotFoundError', 'FetchStalledError', 'GatewaysFailedError', 'LoadBlockFailedError'])

/** Whether an error says that a source does not send the block. */
export function isRefusal (err: unknown): boolean {
  return err instanceof Error && REFUSALS.has(err.name)
}
