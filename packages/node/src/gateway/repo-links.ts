import { NotFoundError } from 'interface-store'
import type { LinkRecords, Links } from '@ipfsz/shared-store/records'
import type { LinkDatastore } from '@ipfsz/core'
import type { Key } from 'interface-datastore'

/** The links of a repo, for a long-running process: another process may add the first link meanwhile. */
export class RepoLinks implements LinkDatastore {
  readonly #links: Links
  readonly #store: LinkRecords

  constructor ({ links }: { links: Links }, signal: AbortSignal) {
    this.#links = links
    this.#store = links.open({ writes: false, signal })
  }

  async get (...args: Parameters<LinkDatastore['get']>): Promise<Uint8Array> {
    if (!await this.#links.exist()) {
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
    if (await this.#links.exist()) {
      yield * this.#store.query(...args)
    }
  }

  async close (): Promise<void> {
    await this.#store.close()
  }
}
