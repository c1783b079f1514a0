import type { IpfszComponents } from '@ipfsz/core'

type Blocks = IpfszComponents['blockstore']

/** A view of a blockstore: whatever the view has no part of its own for is that of the blockstore. */
export function viewOf (blockstore: Blocks, own: Partial<Blocks>): Blocks {
  return {
    checksBlocks: blockstore.checksBlocks,
    freshBlocks: blockstore.freshBlocks,
    releasesBlocks: blockstore.releasesBlocks,
    has: (cid, options) => blockstore.has(cid, options),
    get: (cid, options) => blockstore.get(cid, options),
    put: (cid, bytes, options) => blockstore.put(cid, bytes, options),
    ...own
  }
}
