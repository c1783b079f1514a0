import { NotFoundError } from 'interface-store'
import { hasLinks, LinkStore, linksIn } from '../repo/link-store.ts'
import type { LinkDatastore } from '@ipfsz/core'
import type { Key } from 'interface-datastore'

/** The links of a repo, for a long-running process: another process may add the first link meanwhile. */
export class RepoLinks implements LinkDatastore {
  readonly #repo: string
  readonly #store: LinkStore

  constructor (repo: string, signal: AbortSignal) {
    this.#repo = repo
    this.#store = new LinkStore(linksIn(repo), { writes: false, signal })
  }

  /** @throws {NotFoundError} */
  async get (...args: Parameters<LinkDatastore['get']>): Promise<Uint8Array> {
    // opening the store would create its directory
    if (!await hasLinks(this.#repo)) {
      throw new NotFoundError()
    }

    return this.#store.get(...args)
  }

  async put (...args: Parameters<LinkDatastore['put']>): Promise<Key> {
    return this.#store.put(...args)
  }

  async delete (...args: Parameters<LinkDatastore['delete']>): Promise<void> {
    return this.#store.delete(...args)
  }

  async * query (...args: Parameters<LinkDatastore['query']>): ReturnType<LinkDatastore['query']> {
    if (await hasLinks(this.#repo)) {
      yield * this.#store.query(...args)
    }
  }

  async close (): Promise<void> {
    await this.#store.close()
  }
}
