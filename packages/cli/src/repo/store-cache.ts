import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@ipfsz/codecs/internal'
import { SharedCache } from '../cache/shared-cache.ts'
import { readBlock } from '../dag/read-block.ts'
import { makeRepoDirectory } from '../disk/repo-directory.ts'
import type { Repo } from './repo.ts'
import type { Blockstore, InputPair, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** How much of what is read is kept, 10 GiB. */
const DEFAULT_SIZE = 10 * 1024 ** 3
/** The part of the free space that is used by default. */
const FREE_PART = 0.5

type Source<T> = Iterable<T> | AsyncIterable<T>
type Options = Parameters<Blockstore['has']>[1]

export interface StoreCacheInit {
  /**
   * The most bytes on the disk. 0 for none.
   *
   * @default 10737418240, and at most half of the space that is free
   */
  size?: number | undefined
  onNote: (message: string) => void
}

/**
 * A view of a repo for reading: it keeps on this node's disk what it reads from a store over the network, for all
 * processes of the node. What was deleted from the store may still be read: deleted blocks were unpinned.
 *
 * Only for reading: whoever adds or pins must ask the store.
 */
export async function withStoreCache (
  repo: Repo,
  { size: asked, onNote }: StoreCacheInit
): Promise<{ repo: Repo, close: () => Promise<void> }> {
  const { shared } = repo

  if (shared?.isRemote !== true || asked === 0) {
    return { repo, close: async () => {} }
  }

  try {
    await makeRepoDirectory(repo.path)
    const size = asked ?? Math.min(DEFAULT_SIZE, await freeSpace(repo.path) * FREE_PART)
    const cache = new SharedCache({ directory: join(repo.path, 'store-cache'), size, onNote })
    await cache.open()

    return {
      repo: { ...repo, blockstore: new CachedBlocks(repo.blockstore, cache, shared.traffic.cache) },
      close: async () => cache.close()
    }
  } catch (err) {
    onNote(`what is read from the store ${shared.name} is not kept on this node: ${messageOf(err)}`)

    return { repo, close: async () => {} }
  }
}

/** In bytes. */
async function freeSpace (directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)

  return bavail * bsize
}

/** Blocks of a store, with those that were read last on the disk of this node. */
class CachedBlocks implements Blockstore {
  readonly #inner: Blockstore
  readonly #cache: Pick<SharedCache, 'get' | 'put'>
  readonly #counts: { hits: number, misses: number }

  constructor (inner: Blockstore, cache: Pick<SharedCache, 'get' | 'put'>, counts: { hits: number, misses: number }) {
    this.#inner = inner
    this.#cache = cache
    this.#counts = counts
  }

  async * get (cid: CID, options?: Parameters<Blockstore['get']>[1]): AsyncGenerator<Uint8Array> {
    yield await this.#read(cid, options)
  }

  async * getMany (source: Source<CID>, options?: Options): AsyncGenerator<Pair> {
    for await (const cid of source) {
      yield { cid, bytes: this.get(cid, options) }
    }
  }

  /** Asks the store: another node may have deleted the block. */
  async has (cid: CID, options?: Options): Promise<boolean> {
    return this.#inner.has(cid, options)
  }

  async put (...args: Parameters<Blockstore['put']>): Promise<CID> {
    return this.#inner.put(...args)
  }

  async * putMany (source: Source<InputPair>, options?: Options): AsyncGenerator<CID> {
    yield * this.#inner.putMany(source, options)
  }

  async * getAll (options?: Options): AsyncGenerator<Pair> {
    yield * this.#inner.getAll(options)
  }

  async delete (cid: CID, options?: Options): Promise<void> {
    await this.#inner.delete(cid, options)
  }

  async * deleteMany (source: Source<CID>, options?: Options): AsyncGenerator<CID> {
    yield * this.#inner.deleteMany(source, options)
  }

  async #read (cid: CID, options: Options): Promise<Uint8Array> {
    const kept = await this.#cache.get(cid, options)

    if (kept != null) {
      this.#counts.hits++

      return kept
    }

    this.#counts.misses++

    const bytes = await readBlock(cid, this.#inner, options)
    await this.#cache.put(cid, bytes)

    return bytes
  }
}
