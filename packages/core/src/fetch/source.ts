import type { FilePart } from '../dag/block.ts'
import type { CID } from 'multiformats/cid'
import type { ProgressEvent } from 'progress-events'

/** A block that a source sent. */
export interface SourceBlock {
  bytes: Uint8Array
  /**
   * Whether the source compared it with its CID, to tell who sent wrong bytes. Otherwise it is compared here.
   *
   * @default false
   */
  verified?: boolean | undefined
  /**
   * Whether the source stored it in the blockstore. Otherwise it is stored here.
   *
   * @default false
   */
  stored?: boolean | undefined
  /** Who sent it: a peer id, or the URL of a gateway. */
  sender?: string | undefined
  /** The peer that sent it, as in Helia's events. */
  provider?: CID | undefined
  /** How it was requested, as in Helia's events, such as `bitswap`. */
  broker?: string | undefined
}

export interface SourceOptions {
  /** The root that is read, plain. */
  root: CID
  /** Bytes of the block, if known. */
  size?: number | undefined
  /** Which bytes of a file it holds, and how far the file is read. */
  part?: FilePart | undefined
  /**
   * Whether it comes much later in the DAG than others that are waited for. A source that sends the DAG in its order
   * would bring it late.
   */
  isFarAhead?: boolean | undefined
  /** Whether the blockstore has the block, but damaged. */
  damaged?: boolean | undefined
  /** Peers that may have it, as Helia takes them. */
  providers?: unknown[] | undefined
  onProgress?: ((event: ProgressEvent) => void) | undefined
  /** Aborted when the block is no longer wanted, and when it takes too long: then all sources are asked, at once. */
  signal: AbortSignal
}

/** Where missing and damaged blocks are fetched from. It needs no timeout: it goes on until the signal aborts. */
export interface BlockSource {
  /**
   * Fetch a block.
   *
   * @throws {NotFoundError} it does not have the block. A FetchStalledError, a GatewaysFailedError and Helia's
   *   LoadBlockFailedError say that too: the next source is asked. Other errors end the read
   */
  fetch (cid: CID, options: SourceOptions): Promise<SourceBlock>

  /** Called when a block is read from the blockstore: a response need not bring it. */
  found? (cid: CID, options: Pick<SourceOptions, 'part'>): void

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
