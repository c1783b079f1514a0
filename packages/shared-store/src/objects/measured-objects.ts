import type { ListedObject, ObjectInfo, ObjectStore } from './object-store.ts'
import type { StoreTraffic } from './store-traffic.ts'

/** The same objects, with each request counted. */
export class MeasuredObjects implements ObjectStore {
  readonly #inner: ObjectStore
  readonly #traffic: StoreTraffic

  constructor (inner: ObjectStore, traffic: StoreTraffic) {
    this.#inner = inner
    this.#traffic = traffic
  }

  async get (...args: Parameters<ObjectStore['get']>): Promise<Uint8Array> {
    return this.#traffic.count('get', async () => this.#inner.get(...args), ({ byteLength: bytes }) => ({ bytes }))
  }

  async put (...args: Parameters<ObjectStore['put']>): Promise<void> {
    await this.#traffic.count('put', async () => this.#inner.put(...args), () => ({ bytes: args[1].byteLength }))
  }

  async stat (...args: Parameters<ObjectStore['stat']>): Promise<ObjectInfo | undefined> {
    return this.#traffic.count('has', async () => this.#inner.stat(...args), info => ({ isThere: info != null }))
  }

  async delete (...args: Parameters<ObjectStore['delete']>): Promise<void> {
    await this.#traffic.count('delete', async () => this.#inner.delete(...args))
  }

  list (...args: Parameters<ObjectStore['list']>): AsyncIterable<ListedObject[]> {
    return this.#traffic.countPages(this.#inner.list(...args))
  }
}
