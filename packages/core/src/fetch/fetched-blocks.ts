import { CID } from 'multiformats/cid'
import { blockKey } from '../dag/block-key.ts'
import { checkBlock } from '../dag/hashes.ts'
import type { BlockFetcher, FetchOptions } from './block-fetcher.ts'
import type { FetchScope } from './fetch-scope.ts'
import type { SourceBlock } from './source.ts'
import type { Blockstore } from 'interface-blockstore'

/** The empty raw block, which an empty file is. An empty node has the same bytes. */
const EMPTY_BLOCK = CID.parse('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')

/** Fetches blocks, compares each with its CID once, and stores it. */
export class FetchedBlocks {
  readonly #blockstore: Pick<Blockstore, 'put'>
  readonly #fetcher: Pick<BlockFetcher, 'fetch'>
  /** Blocks that have arrived and are being written, by key. */
  readonly #storing = new Map<string, Promise<Uint8Array>>()

  constructor (blockstore: Pick<Blockstore, 'put'>, fetcher: Pick<BlockFetcher, 'fetch'>) {
    this.#blockstore = blockstore
    this.#fetcher = fetcher
  }

  /**
   * @throws {CorruptBlockError} the bytes do not match the CID
   * @throws {FetchStalledError} no block of the scope arrived within the timeout
   * @throws {Error} that of the last source, if none has it
   */
  async get (cid: CID, scope: FetchScope, options: FetchOptions): Promise<Uint8Array> {
    const key = blockKey(cid)
    const storing = this.#storing.get(key)

    if (storing != null) {
      return storing
    }

    // Kubo 0.42 never sends an empty block, and its bytes are known
    const block = key === blockKey(EMPTY_BLOCK)
      ? { bytes: new Uint8Array(0) }
      : await this.#fetcher.fetch(cid, scope, options)
    const stored = this.#storing.get(key) ?? this.#store(cid, block).finally(() => { this.#storing.delete(key) })

    this.#storing.set(key, stored)

    return stored
  }

  async #store (cid: CID, { bytes, verified = false, stored = false }: SourceBlock): Promise<Uint8Array> {
    if (!verified) {
      await checkBlock(cid, bytes)
    }

    if (!stored) {
      await this.#blockstore.put(cid, bytes)
    }

    return bytes
  }
}
