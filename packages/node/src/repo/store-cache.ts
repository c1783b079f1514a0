import { statfs } from 'node:fs/promises'
import { WrappedBlockstore } from '@ipfsz/core'
import { messageOf } from '@ipfsz/utils/message-of'
import { SharedCache } from '../cache/shared-cache.ts'
import { readBlock } from '../dag/read-block.ts'
import { makeRepoDirectory } from '../disk/repo-directory.ts'
import { isStoreAway } from '@ipfsz/shared-store/objects'
import { CachedPacks, cachedPieces } from './cached-packs.ts'
import { keepMark, storeCacheIn } from './kept-mark.ts'
import type { Repo } from './repo.ts'
import type { SharedStore } from '@ipfsz/shared-store'
import type { StoreWatch } from '@ipfsz/shared-store/objects'
import type { Blockstore, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** How much of what is read is kept by default, 10 GiB. */
const DEFAULT_SIZE = 10 * 1024 ** 3
/** The part of the space that is used by default, of that which is free without it. */
const FREE_PART = 0.5

type Source<T> = Iterable<T> | AsyncIterable<T>
type Options = Parameters<Blockstore['has']>[1]
type Cache = Pick<SharedCache, 'get' | 'put'>

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

  if (shared?.isRemote !== true || shared.cacheSize === 0) {
    return { repo, close: async () => {} }
  }

  const { name, watch, cacheSize } = shared

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
      repo: { ...repo, ...cachedBlocks(repo, shared, cache) },
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
  { packs, traffic, watch }: SharedStore,
  cache: SharedCache
): Pick<Repo, 'blockstore' | 'together'> {
  if (packs == null) {
    return { blockstore: new CachedBlocks(blockstore, cache, traffic.cache, watch) }
  }

  const together = packs.readingWith({
    read: cachedPieces(packs, cache, traffic.cache, watch),
    refresh: async signal => watch.read(async signal => packs.catalog.refresh(signal), signal)
  })

  return { blockstore: new CachedPacks(blockstore, packs, together, watch), together }
}

/** In bytes. */
async function freeSpace (directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)

  return bavail * bsize
}

/** Blocks of a store, with those that were read last on the disk of this node. */
class CachedBlocks extends WrappedBlockstore {
  readonly #cache: Cache
  readonly #counts: { hits: number, misses: number }
  readonly #watch: StoreWatch

  constructor (inner: Blockstore, cache: Cache, counts: { hits: number, misses: number }, watch: StoreWatch) {
    super(inner)
    this.#cache = cache
    this.#counts = counts
    this.#watch = watch
  }

  override async * get (cid: CID, options?: Parameters<Blockstore['get']>[1]): AsyncGenerator<Uint8Array> {
    yield await this.#read(cid, options)
  }

  override async * getMany (source: Source<CID>, options?: Options): AsyncGenerator<Pair> {
    for await (const cid of source) {
      yield { cid, bytes: this.get(cid, options) }
    }
  }

  /** Asks the store: another node may have deleted the block. If the store is away, what is kept is there. */
  override async has (cid: CID, options?: Options): Promise<boolean> {
    try {
      return await this.#watch.read(async signal => this.unwrap().has(cid, { ...options, signal }), options?.signal)
    } catch (err) {
      options?.signal?.throwIfAborted()

      if (isStoreAway(err) && await this.#cache.get(cid, options) != null) {
        return true
      }

      throw err
    }
  }

  async #read (cid: CID, options: Options): Promise<Uint8Array> {
    const kept = await this.#cache.get(cid, options)

    if (kept != null) {
      this.#counts.hits++

      return kept
    }

    this.#counts.misses++

    const bytes = await this.#watch.read(
      async signal => readBlock(cid, this.unwrap(), { ...options, signal }),
      options?.signal
    )
    await this.#cache.put(cid, bytes)

    return bytes
  }
}
