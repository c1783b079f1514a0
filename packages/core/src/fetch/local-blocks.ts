import type { Blockstore } from 'interface-blockstore'

type Store = Pick<Blockstore, 'get'>

/** What Helia's blockstores have besides: they fetch what the store below them lacks. */
interface NetworkedStore extends Store {
  createSession: unknown
  unwrap (): Store
}

/**
 * The store of a Helia node below what fetches. Helia asks it whether a block is there before it reads the block
 * (docs/upstream.md): of a store over a network, that takes as long as reading a small one.
 *
 * @returns the same blockstore if it is not one of Helia's
 */
export function localBlocks (blockstore: Store): Store {
  let local: Store = blockstore

  while (isNetworked(local)) {
    local = local.unwrap()
  }

  return local
}

function isNetworked (store: Store & Partial<NetworkedStore>): store is NetworkedStore {
  // others have `unwrap` too, and what is below those may be stored in another way
  return typeof store.createSession === 'function' && typeof store.unwrap === 'function'
}
