import { MountedStorage } from './file-storage.ts'
import { outcomeOf } from '../objects/store-traffic.ts'
import type { MountedStorageInit } from './file-storage.ts'
import type { StoreOutcome, StoreTraffic } from '../objects/store-traffic.ts'
import type { CID } from 'multiformats/cid'

/** Blocks as files of a store, with what is done to them counted. */
export class MeasuredStorage extends MountedStorage {
  readonly #traffic: StoreTraffic

  constructor (location: string, { traffic, ...init }: MountedStorageInit & { traffic: StoreTraffic }) {
    super(location, init)
    this.#traffic = traffic
  }

  override async * get (...args: Parameters<MountedStorage['get']>): AsyncGenerator<Uint8Array> {
    const start = performance.now()
    let outcome: StoreOutcome = 'ok'
    let bytes = 0

    try {
      for await (const piece of super.get(...args)) {
        bytes += piece.byteLength
        yield piece
      }
    } catch (err) {
      outcome = outcomeOf(err)
      throw err
    } finally {
      this.#traffic.add('get', outcome, { bytes, seconds: (performance.now() - start) / 1000 })
    }
  }

  override async has (...args: Parameters<MountedStorage['has']>): Promise<boolean> {
    return this.#traffic.count('has', async () => super.has(...args), isThere => ({ isThere }))
  }

  override async put (...args: Parameters<MountedStorage['put']>): Promise<CID> {
    const [, value] = args
    const bytes = value instanceof Uint8Array ? value.byteLength : 0

    return this.#traffic.count('put', async () => super.put(...args), () => ({ bytes }))
  }

  override async remove (...args: Parameters<MountedStorage['remove']>): Promise<void> {
    await this.#traffic.count('delete', async () => super.remove(...args))
  }

  override blocks (...args: Parameters<MountedStorage['blocks']>): ReturnType<MountedStorage['blocks']> {
    return this.#traffic.countPages(super.blocks(...args))
  }
}
