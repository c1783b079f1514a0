import { getBlock } from '../dag/block.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** The blocks below a root. */
export interface BlocksBelow {
  /** Blocks match their CIDs: their readers need not compare them again. */
  readonly checksBlocks?: boolean | undefined
  /**
   * Read a block. It matches its CID, and is fetched if it is missing or damaged.
   *
   * @throws {NotFoundError} it is missing, and there is nothing to fetch it from
   * @throws {CorruptBlockError} it is damaged, and no other could be fetched
   * @throws {BlockNotFoundWhileOfflineError} it is missing or damaged, and `offline` is set
   * @throws {FetchStalledError} no block arrived within the timeout of `fetch`
   */
  get (
    cid: CID,
    options?: {
      signal?: AbortSignal | null | undefined
      offline?: boolean | undefined
      /** Bytes of the block, if known: then as many are fetched at a time as the link carries. */
      size?: number | undefined
      /** Whether it comes much later in the DAG than others that are waited for: another gateway may send it alone. */
      isFarAhead?: boolean | undefined
    }
  ): AsyncGenerator<Uint8Array>

  /** Whether the blockstore has a block. Fetches nothing. */
  has (...args: Parameters<Blockstore['has']>): Promise<boolean>
}

export interface BlocksOptions {
  signal?: AbortSignal | null | undefined
}

export function blocksBelow (
  blockstore: Pick<Blockstore, 'get' | 'has'>,
  { signal: usual }: BlocksOptions = {}
): BlocksBelow {
  return {
    checksBlocks: true,
    async * get (cid, { size, signal = usual, ...options } = {}) {
      yield await getBlock(cid, blockstore, { ...options, signal, expectedSize: size })
    },
    has: async (cid, options) => {
      const signal = options?.signal ?? usual
      signal?.throwIfAborted()

      return blockstore.has(cid, signal == null ? options : { ...options, signal })
    }
  }
}
