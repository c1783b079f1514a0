import { DerivedBlockstore } from '@ipfsz/core/originals'
import { OriginalsStore } from './originals-store.ts'
import type { Repo } from './repo.ts'

/** The blocks of a repo, and those of the originals of its files. */
export interface ServedOriginals {
  blockstore: DerivedBlockstore
  /** The index that it answers from. */
  store: OriginalsStore
}

/**
 * Answer for the blocks of originals that are indexed.
 *
 * @param init.writes - whether this process also indexes
 * @param init.onError - called with each error by which a block was not found
 */
export function serveOriginals (
  repo: Repo,
  { writes, onError }: { writes: boolean, onError: (err: unknown) => void }
): ServedOriginals {
  const store = new OriginalsStore(repo.path, { writes })

  return { store, blockstore: new DerivedBlockstore(repo.blockstore, { datastore: store, onError }) }
}
