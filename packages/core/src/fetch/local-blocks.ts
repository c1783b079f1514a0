import type { Blockstore } from 'interface-blockstore'

/** What Helia's blockstores have besides: they fetch what the store below them lacks. */
interface Store extends Pick<Blockstore, 'get'> {
  createSession?: unknown
  unwrap?: () => Store
}

/**
 * The store of a Helia node below what fetches. Helia asks it whether a block is there before it reads the block
 * (docs/upstream.md): of a store over a network, that takes as long as reading a small one.
 *
 * @returns the same blockstore if it is not one of Helia's
 */
export function localBlocks (blockstore: Store): Store {
  // others have `unwrap` too, and what is below those may be stored in another way
  return typeof blockstore.createSession === 'function' && typeof blockstore.unwrap === 'function'
    ? localBlocks(blockstore.unwrap())
    : blockstore
}
