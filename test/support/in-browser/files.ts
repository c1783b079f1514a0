/** Replaces Node's file modules in a browser: a directory that a test makes becomes databases. */
import { IDBBlockstore } from 'blockstore-idb'
import type { CID } from 'multiformats/cid'

export async function mkdtemp (prefix: string): Promise<string> {
  return `${prefix}${crypto.randomUUID()}`
}

/** The databases are deleted with the profile of the browser, after the run. */
export async function rm (): Promise<void> {}

export function tmpdir (): string {
  return 'tmp'
}

export function join (...parts: string[]): string {
  return parts.join('/')
}

/** Blocks in IndexedDB, in a store that opens by itself, since a directory need not be opened. */
export class FsBlockstore extends IDBBlockstore {
  readonly #opened: Promise<void>
  readonly #putManyConcurrency: number

  constructor (location: string, { putManyConcurrency = 50 } = {}) {
    super(location)
    this.#opened = super.open()
    this.#putManyConcurrency = putManyConcurrency
  }

  override async open (): Promise<void> {
    await this.#opened
  }

  override async put (...args: Parameters<IDBBlockstore['put']>): ReturnType<IDBBlockstore['put']> {
    await this.#opened

    return super.put(...args)
  }

  override async * get (...args: Parameters<IDBBlockstore['get']>): ReturnType<IDBBlockstore['get']> {
    await this.#opened
    yield * super.get(...args)
  }

  override async * getAll (...args: Parameters<IDBBlockstore['getAll']>): ReturnType<IDBBlockstore['getAll']> {
    await this.#opened
    yield * super.getAll(...args)
  }

  override async * putMany (...[pairs, options]: Parameters<IDBBlockstore['putMany']>): ReturnType<IDBBlockstore[
    'putMany'
  ]> {
    let batch: Array<Promise<CID>> = []

    for await (const { cid, bytes } of pairs) {
      batch.push(Promise.resolve(this.put(cid, bytes, options)))

      if (batch.length === this.#putManyConcurrency) {
        yield * await Promise.all(batch)
        batch = []
      }
    }

    yield * await Promise.all(batch)
  }

  override async has (...args: Parameters<IDBBlockstore['has']>): Promise<boolean> {
    await this.#opened

    return super.has(...args)
  }

  override async delete (...args: Parameters<IDBBlockstore['delete']>): Promise<void> {
    await this.#opened
    await super.delete(...args)
  }
}
