import type { CompressedBlockstore } from '@ipfsz/blockstore-compressed'
import type { GatewayBlocks } from '@ipfsz/gateway'

/** How a repo hands out the compressed payloads of its blocks. Undefined if it compresses none. */
export function storedBlocks (blockstore: object): NonNullable<GatewayBlocks['getStored']> | undefined {
  // not by class: the package is loaded only by repos that need it
  return 'getStored' in blockstore
    ? async (cid, options) => (blockstore as CompressedBlockstore).getStored(cid, options)
    : undefined
}
