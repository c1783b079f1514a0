import { keyOf } from '../dag/dag-walk.ts'
import type { HttpSource, SourceBlock, SourceFetchOptions } from '@ipfsz/core/http'
import type { Blockstore } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

/** Fetches blocks from HTTP gateways, and stores them in the repo. */
export class GatewayBlocks {
  readonly #source: Pick<HttpSource, 'fetch'>
  readonly #blockstore: Pick<Blockstore, 'put'>
  readonly #storing = new Map<string, Promise<SourceBlock>>()

  constructor (source: Pick<HttpSource, 'fetch'>, blockstore: Pick<Blockstore, 'put'>) {
    this.#source = source
    this.#blockstore = blockstore
  }

  /** @throws {GatewaysFailedError} no gateway sends it */
  async fetch (cid: CID, options: SourceFetchOptions): Promise<SourceBlock> {
    const key = keyOf(cid)
    // it has arrived for another caller, and is not in the repo yet
    const storing = this.#storing.get(key)

    if (storing != null) {
      return storing
    }

    const block = await this.#source.fetch(cid, options)
    const stored = this.#storing.get(key) ?? this.#put(cid, block).finally(() => { this.#storing.delete(key) })

    this.#storing.set(key, stored)

    return stored
  }

  async #put (cid: CID, block: SourceBlock): Promise<SourceBlock> {
    await this.#blockstore.put(cid, block.bytes)

    return block
  }
}
