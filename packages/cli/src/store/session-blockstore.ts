import type { AbortOptions } from './object-store.ts'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

export type InnerBlockstore = Pick<Blockstore, 'get' | 'has' | 'put'>

interface Relying {
  relyOn: (multihash: Uint8Array, options?: AbortOptions) => Promise<void>
}

/** A blockstore whose blocks a session relies on before it looks for them, reads them or stores them. */
export class SessionBlockstore implements InnerBlockstore {
  readonly #inner: InnerBlockstore
  readonly #session: Relying

  constructor (inner: InnerBlockstore, session: Relying) {
    this.#inner = inner
    this.#session = session
  }

  async put (...[cid, bytes, options]: Parameters<Blockstore['put']>): Promise<CID> {
    await this.#session.relyOn(cid.multihash.bytes, options)

    return this.#inner.put(cid, bytes, options)
  }

  async has (...[cid, options]: Parameters<Blockstore['has']>): Promise<boolean> {
    await this.#session.relyOn(cid.multihash.bytes, options)

    return this.#inner.has(cid, options)
  }

  async * get (...[cid, options]: Parameters<Blockstore['get']>): AsyncGenerator<Uint8Array> {
    await this.#session.relyOn(cid.multihash.bytes, options)
    yield * this.#inner.get(cid, options)
  }
}
