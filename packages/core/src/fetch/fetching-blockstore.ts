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
  /** Resolves once all blocks so far have been looked for locally. */
  let lookedUp: Promise<unknown> = Promise.resolve()

  return {
    async * get (cid, options) {
      const earlier = lookedUp
      const found = Promise.withResolvers<void>()
      lookedUp = Promise.all([earlier, found.promise])

      try {
        for await (const bytes of blockstore.get(cid, { ...options, offline: true } as typeof options)) {
          found.resolve()
          yield bytes
        }

        return
      } catch (err) {
        const { offline } = options as { offline?: boolean } | undefined ?? {}

        // a blockstore without a network throws another error
        if (offline === true || !(err instanceof Error) || err.name !== 'BlockNotFoundWhileOfflineError') {
          throw err
        }
      } finally {
        found.resolve()
      }

      // blocks are fetched in the order in which they are asked for, however long each takes to be missed: that is
      // the order of a file, in which gateways send them
      await earlier
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
