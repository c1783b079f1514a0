import { FetchScope } from './fetch-scope.ts'
import type { BlockFetcher, FetchOptions } from './block-fetcher.ts'
import type { ProviderRouting } from './fetch-scope.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Store = Pick<Blockstore, 'get' | 'put' | 'has'>

/** A blockstore, and how far ahead it is worth to ask it. */
export interface FetchingBlockstore extends Store {
  /** The most bytes that are held of what was asked for before its turn. */
  readonly readAheadBytes: number
  /** Whether anything that was asked for was not here. */
  fetches (): boolean
}

/**
 * A blockstore as one call reads it. What it has is handed on as it is, and takes no
 * longer: Helia looks first whether it has a block in any case. The rest is fetched.
 */
export function fetching (blockstore: Store, fetcher: BlockFetcher, root: CID, routing?: ProviderRouting): FetchingBlockstore {
  const scope = new FetchScope(root, routing)
  let fetched = false

  return {
    async * get (cid, options) {
      try {
        yield * blockstore.get(cid, { ...options, offline: true } as typeof options)
        return
      } catch (err) {
        // a blockstore that knows of nobody to ask says something else
        if ((options as { offline?: boolean } | undefined)?.offline === true || !(err instanceof Error) || err.name !== 'BlockNotFoundWhileOfflineError') {
          throw err
        }
      }

      fetched = true
      yield await fetcher.fetch(cid, scope, options as FetchOptions ?? {})
    },
    put: (...args) => blockstore.put(...args),
    has: (...args) => blockstore.has(...args),
    readAheadBytes: fetcher.window.maxBytes,
    fetches: () => fetched
  }
}
