import { statfs } from 'node:fs/promises'
import { messageOf } from '@ipfsz/utils/message-of'
import { SharedCache } from '../cache/shared-cache.ts'
import { makeRepoDirectory } from '../disk/repo-directory.ts'
import { CachedPacks, cachedPieces } from './cached-packs.ts'
import { keepMark, storeCacheIn } from './kept-mark.ts'
import type { Repo } from './repo.ts'
import type { SharedStore } from '@ipfsz/shared-store'
import type { PackStorage } from '@ipfsz/shared-store/packs'

/** How much of what is read is kept by default, 10 GiB. */
const DEFAULT_SIZE = 10 * 1024 ** 3
/** The part of the space that is used by default, of that which is free without it. */
const FREE_PART = 0.5
/**
 * Bytes that `get` reads before they are used, at most, 512 MiB: it measures a tree first, and reads what it has kept
 * when it writes files. Whoever made a tree may claim that it is large.
 */
const MAX_AHEAD = 512 * 1024 * 1024

/** A cache of fewer bytes is small, 64 MiB. */
const SMALL = 64 * 1024 * 1024

/**
 * A view of a repo for reading: it keeps on this node's disk what it reads from a store over the network, for all
 * processes of the node. What was deleted from the store may still be read: deleted blocks were unpinned. While the
 * store is away, what is kept is read at once, and the rest fails within seconds.
 *
 * Only for reading: whoever adds or pins must ask the store.
 */
export async function withStoreCache (
  repo: Repo,
  { onNote }: { onNote: (message: string) => void }
): Promise<{ repo: Repo, close: () => Promise<void> }> {
  const { shared } = repo

  if (shared?.packs == null || !shared.isRemote || shared.cacheSize === 0) {
    return { repo, close: async () => {} }
  }

  const { name, packs, watch, cacheSize } = shared

  try {
    await makeRepoDirectory(repo.path)
    const free = await freeSpace(repo.path)
    const cache = new SharedCache({
      directory: storeCacheIn(repo.path),
      size: kept => cacheSize ?? Math.min(DEFAULT_SIZE, (free + kept) * FREE_PART),
      onFailure: err => {
        onNote(`blocks of the store cannot be cached on this node (${messageOf(err)}). They are read again`)
      }
    })
    await cache.open()
    await keepMark(repo.path, shared)
    watch.onChange = away => {
      onNote(away == null ? `the store ${name} is available again` : `${away.message}. Cached blocks can still be read`)
    }

    return {
      repo: { ...repo, ...cachedBlocks(repo, packs, shared, cache) },
      close: async () => {
        watch.onChange = undefined
        await cache.close()
      }
    }
  } catch (err) {
    onNote(`blocks of the store ${name} are not cached on this node: ${messageOf(err)}`)

    return { repo, close: async () => {} }
  }
}

function cachedBlocks (
  { blockstore }: Repo,
  packs: PackStorage,
  { traffic, watch, cacheSize }: SharedStore,
  cache: SharedCache
): Pick<Repo, 'blockstore' | 'together'> {
  const together = packs.readingWith({
    read: cachedPieces(packs, cache, {
      watch, counts: traffic.cache, isSmall: cacheSize != null && cacheSize < SMALL
    }),
    refresh: async signal => watch.read(async signal => packs.catalog.refresh(signal), signal),
    maxAhead: cacheSize != null && cacheSize < 2 * MAX_AHEAD ? undefined : MAX_AHEAD
  })

  return { blockstore: new CachedPacks(blockstore, packs, together, watch), together }
}

/** In bytes. */
async function freeSpace (directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)

  return bavail * bsize
}
