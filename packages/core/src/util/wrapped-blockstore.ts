import type { Blockstore, InputPair, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Source<T> = Iterable<T> | AsyncIterable<T>
type Options = Parameters<Blockstore['has']>[1]

/** What a blockstore may say of its blocks, see `IpfszComponents`. */
interface Claims {
  readonly checksBlocks?: boolean | undefined
}

/** A blockstore that passes every call on to another one. Extend it, and override what differs. */
export class WrappedBlockstore implements Blockstore {
  readonly #inner: Blockstore & Claims

  constructor (inner: Blockstore) {
    this.#inner = inner
  }

  /** The wrapped store. */
  unwrap (): Blockstore {
    return this.#inner
  }

  /** Whether every block is compared with its CID before it is returned. */
  get checksBlocks (): boolean {
    return this.#inner.checksBlocks === true
  }

  async has (cid: CID, options?: Options): Promise<boolean> {
    return this.#inner.has(cid, options)
  }

  async put (...args: Parameters<Blockstore['put']>): Promise<CID> {
    return this.#inner.put(...args)
  }

  async * putMany (source: Source<InputPair>, options?: Options): AsyncGenerator<CID> {
    yield * this.#inner.putMany(source, options)
  }

  async * get (cid: CID, options?: Options): AsyncGenerator<Uint8Array> {
    yield * this.#inner.get(cid, options)
  }

  async * getMany (source: Source<CID>, options?: Options): AsyncGenerator<Pair> {
    yield * this.#inner.getMany(source, options)
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
}
