import { WrappedBlockstore } from '@ipfsz/core'
import type { AbortOptions } from '../objects/object-store.ts'
import type { Blockstore, InputPair, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Source<T> = Iterable<T> | AsyncIterable<T>
type Options = Parameters<Blockstore['has']>[1]

interface Relying {
  relyOn: (multihash: Uint8Array, options?: AbortOptions) => Promise<void>
}

/** A blockstore whose blocks a session relies on before it looks for them, reads them or stores them. */
export class SessionBlockstore extends WrappedBlockstore {
  readonly #session: Relying

  constructor (inner: Blockstore, session: Relying) {
    super(inner)
    this.#session = session
  }

  override async has (cid: CID, options?: Options): Promise<boolean> {
    await this.#relyOn(cid, options)

    return super.has(cid, options)
  }

  override async put (...[cid, bytes, options]: Parameters<Blockstore['put']>): Promise<CID> {
    await this.#relyOn(cid, options)

    return super.put(cid, bytes, options)
  }

  override async * get (...[cid, options]: Parameters<Blockstore['get']>): AsyncGenerator<Uint8Array> {
    await this.#relyOn(cid, options)
    yield * super.get(cid, options)
  }

  override async * putMany (source: Source<InputPair>, options?: Options): AsyncGenerator<CID> {
    yield * super.putMany(this.#relied(source, ({ cid }) => cid, options), options)
  }

  override async * getMany (source: Source<CID>, options?: Options): AsyncGenerator<Pair> {
    yield * super.getMany(this.#relied(source, cid => cid, options), options)
  }

  async #relyOn ({ multihash }: CID, options: Options): Promise<void> {
    await this.#session.relyOn(multihash.bytes, { signal: options?.signal ?? undefined })
  }

  async * #relied<T> (source: Source<T>, cidOf: (each: T) => CID, options: Options): AsyncGenerator<T> {
    for await (const each of source) {
      await this.#relyOn(cidOf(each), options)
      yield each
    }
  }
}
