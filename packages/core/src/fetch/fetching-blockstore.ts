import { FetchScope } from './fetch-scope.ts'
import type { BlockFetcher, FetchOptions } from './block-fetcher.ts'
import type { ProviderRouting } from './fetch-scope.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Store = Pick<Blockstore, 'get' | 'put' | 'has'> & { readonly checksBlocks?: boolean | undefined }

/** A networked blockstore, and how far to read ahead in it. */
interface FetchingBlockstore extends Store {
  /** The most bytes that a reader may hold of blocks it requested ahead. */
  readonly readAheadBytes: number
  /** Whether any block so far was not stored locally. */
  fetches (): boolean
  /** Whether every block was compared with its CID: not if some may come from a peer. */
  readonly checksBlocks: boolean
}

/**
 * The blockstore of one call. Returns local blocks directly, which costs nothing extra because
 * Helia first looks for a local block anyway. Fetches the others.
 */
export function fetchingBlockstore (
  blockstore: Store,
  fetcher: BlockFetcher,
  root: CID,
  routing?: ProviderRouting
): FetchingBlockstore {
  const scope = new FetchScope(root, routing)
  let fetched = false

  return {
    async * get (cid, options) {
      try {
        yield * blockstore.get(cid, { ...options, offline: true } as typeof options)
        return
      } catch (err) {
        const { offline } = options as { offline?: boolean } | undefined ?? {}

        // a blockstore without a network throws another error
        if (offline === true || !(err instanceof Error) || err.name !== 'BlockNotFoundWhileOfflineError') {
          throw err
        }
      }

      fetched = true
      yield await fetcher.fetch(cid, scope, options as FetchOptions ?? {})
    },
    put: (...args) => blockstore.put(...args),
    has: (...args) => blockstore.has(...args),
    readAheadBytes: fetcher.window.maxBytes,
    fetches: () => fetched,
    get checksBlocks () { return blockstore.checksBlocks === true && !fetched }
  }
}
