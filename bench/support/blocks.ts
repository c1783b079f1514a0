import { BaseBlockstore } from 'blockstore-core'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** A blockstore that counts what is stored (each block once) and what is read. */
export class CountingBlockstore extends BaseBlockstore {
  readonly #inner: Blockstore
  readonly #stored = new Map<string, number>()
  blocksRead = 0
  bytesRead = 0

  constructor (inner: Blockstore) {
    super()
    this.#inner = inner
  }

  get blocks (): number {
    return this.#stored.size
  }

  /** Bytes of all blocks that were put. */
  get bytes (): number {
    return this.#stored.values().reduce((total, size) => total + size, 0)
  }

  override async put (...[cid, bytes, options]: Parameters<Blockstore['put']>): Promise<CID> {
    if (bytes instanceof Uint8Array) {
      // CIDs of one multihash are one block, whatever their codecs
      this.#stored.set(Buffer.from(cid.multihash.bytes).toString('latin1'), bytes.byteLength)
    }

    return this.#inner.put(cid, bytes, options)
  }

  override async * get (...[cid, options]: Parameters<Blockstore['get']>): AsyncGenerator<Uint8Array> {
    this.blocksRead++

    for await (const chunk of this.#inner.get(cid, options)) {
      this.bytesRead += chunk.byteLength
      yield chunk
    }
  }

  override async has (...[cid, options]: Parameters<Blockstore['has']>): Promise<boolean> {
    return this.#inner.has(cid, options)
  }
}
