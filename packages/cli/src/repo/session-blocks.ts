import type { StoreSession } from '../store/store-session.ts'
import type { Blockstore, InputPair, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Source<T> = Iterable<T> | AsyncIterable<T>
type Options = Parameters<Blockstore['has']>[1]

/** All methods of a blockstore, which rely on each block before they look for it, read it or store it. */
export class SessionBlocks implements Blockstore {
  readonly #inner: Blockstore
  readonly #one: Pick<Blockstore, 'get' | 'has' | 'put'>
  readonly #session: StoreSession

  constructor (inner: Blockstore, session: StoreSession) {
    this.#inner = inner
    this.#one = session.blockstore(inner)
    this.#session = session
  }

  async has (cid: CID, options?: Options): Promise<boolean> {
    return this.#one.has(cid, options)
  }

  async put (...args: Parameters<Blockstore['put']>): Promise<CID> {
    return this.#one.put(...args)
  }

  async * get (...args: Parameters<Blockstore['get']>): AsyncGenerator<Uint8Array> {
    yield * this.#one.get(...args)
  }

  async * putMany (source: Source<InputPair>, options?: Options): AsyncGenerator<CID> {
    yield * this.#inner.putMany(this.#relied(source, ({ cid }) => cid), options)
  }

  async * getMany (source: Source<CID>, options?: Options): AsyncGenerator<Pair> {
    yield * this.#inner.getMany(this.#relied(source, cid => cid), options)
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

  async * #relied<T> (source: Source<T>, cidOf: (each: T) => CID): AsyncGenerator<T> {
    for await (const each of source) {
      await this.#session.relyOn(cidOf(each).multihash.bytes)
      yield each
    }
  }
}
