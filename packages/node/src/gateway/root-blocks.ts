import { NotFoundError } from '@ipfsz/core'
import { isMissing } from '../dag/missing.ts'
import { isStoreAway } from '@ipfsz/shared-store/objects'
import type { SharedCache } from '../cache/shared-cache.ts'
import type { BlockSource, IpfszComponents } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

type Store = IpfszComponents['blockstore']

/**
 * The blocks of a repo and, for those that it lacks, those of a cache. Blocks are put into the cache only: what
 * strangers ask for never gets into the repo.
 */
export class KeptBlocks implements Store {
  readonly #repo: Pick<Store, 'checksBlocks' | 'get' | 'has'>
  readonly #cache: SharedCache | undefined

  constructor (repo: Pick<Store, 'checksBlocks' | 'get' | 'has'>, cache: SharedCache | undefined) {
    this.#repo = repo
    this.#cache = cache
  }

  /** Tells core that blocks need not be compared again. The cache compares its own. */
  get checksBlocks (): boolean {
    return this.#repo.checksBlocks === true
  }

  async * get (...[cid, options]: Parameters<Store['get']>): AsyncGenerator<Uint8Array> {
    let missing: unknown

    try {
      yield * this.#repo.get(cid, options)
      return
    } catch (err) {
      // while the store of the repo is away, what was fetched is still here
      if (!isMissing(err) && !isStoreAway(err)) {
        throw err
      }

      missing = err
    }

    const bytes = await this.#getKept(cid, options)

    if (bytes == null) {
      throw missing
    }

    yield bytes
  }

  /** The cache alone: of a block that is damaged in the repo, a good one may be kept. */
  get good (): BlockSource {
    return {
      fetch: async (cid, { damaged = false, signal }) => {
        const bytes = damaged ? await this.#getKept(cid, { signal }) : undefined

        if (bytes == null) {
          throw new NotFoundError(cid)
        }

        return { bytes, stored: true }
      }
    }
  }

  async put (...[cid, bytes]: Parameters<Store['put']>): Promise<CID> {
    if (bytes instanceof Uint8Array) {
      await this.#cache?.put(cid, bytes)
    }

    return cid
  }

  async has (...[cid, options]: Parameters<Store['has']>): Promise<boolean> {
    try {
      if (await this.#repo.has(cid, options)) {
        return true
      }
    } catch (err) {
      if (isStoreAway(err) && await this.#getKept(cid, options) != null) {
        return true
      }

      throw err
    }

    return await this.#getKept(cid, options) != null
  }

  async #getKept (cid: CID, options?: { signal?: AbortSignal | null | undefined }): Promise<Uint8Array | undefined> {
    return this.#cache?.get(cid, options)
  }
}
