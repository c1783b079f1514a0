import { BaseBlockstore } from 'blockstore-core/base'
import { isMissing } from '../dag/missing.ts'
import type { Place, Places } from './places.ts'
import type { BlockStorage, StoredBlock } from '@ipfsz/shared-store/storage'
import type { Blockstore, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Options = Parameters<Blockstore['has']>[1]

/** The blocks of a repo, wherever they are: a conversion may move them while this process reads. */
export class OwnStorage extends BaseBlockstore implements BlockStorage {
  /** Each block that `get` returns is in memory of its own. */
  readonly freshBlocks: boolean
  /** Who put a block may free its bytes. */
  readonly releasesBlocks = true
  /** The directory. */
  readonly path: string
  readonly #places: Places
  readonly #view: 'plain' | 'stored'

  /** @param view - whether the blocks are as they are stored, or decompressed */
  constructor (places: Places, view: 'plain' | 'stored') {
    super()
    this.path = places.directory
    this.#places = places
    this.#view = view
    // callers ask once
    this.freshBlocks = isFresh(places.now) && places.before == null
  }

  async open (): Promise<void> {
    await this.#places.now.stored.open()
  }

  async close (): Promise<void> {
    await this.#places.close()
  }

  async sync (): Promise<void> {
    await this.#places.now.stored.sync()
    await this.#places.before?.stored.sync()
  }

  async syncLater (cid: CID): Promise<void> {
    const { now, before } = this.#places
    await now.stored.syncLater(cid)
    await before?.stored.syncLater(cid)
  }

  async flush (): Promise<void> {
    await this.#places.now.stored.flush?.()
  }

  async settled (): Promise<void> {
    await this.#places.now.stored.settled()
  }

  override async put (cid: CID, value: Parameters<Blockstore['put']>[1], options?: Options): Promise<CID> {
    if (this.#places.isStale()) {
      await this.#places.follow()
    }

    return this.#places.now[this.#view].put(cid, value, options)
  }

  override async has (cid: CID, options?: Options): Promise<boolean> {
    do {
      for (const place of this.#places.order) {
        if (await place[this.#view].has(cid, options)) {
          return true
        }
      }
    } while (await this.#places.follow())

    return false
  }

  override async * get (cid: CID, options?: Options): AsyncGenerator<Uint8Array> {
    let missing: unknown

    do {
      for (const place of this.#places.order) {
        try {
          const blocks = place[this.#view].get(cid, options)
          yield * this.freshBlocks && !isFresh(place) ? copies(blocks) : blocks

          return
        } catch (err) {
          if (!isMissing(err)) {
            throw err
          }

          missing = err
        }
      }
    } while (await this.#places.follow())

    throw missing
  }

  /** Lists a block twice if it is moved meanwhile. */
  override async * getAll (options?: Options): AsyncGenerator<Pair> {
    do {
      for (const place of this.#places.order.slice(-2)) {
        for await (const { cid } of place[this.#view].getAll(options)) {
          yield { cid, bytes: this.get(cid, options) }
        }
      }
    } while (await this.#places.follow())
  }

  override async delete (cid: CID, options?: Options): Promise<void> {
    for (const place of this.#places.order.slice(-2)) {
      await place[this.#view].delete(cid, options)
    }
  }

  /** Lists a block twice if it is moved meanwhile, or in two places. */
  async * blocks (options?: Parameters<BlockStorage['blocks']>[0]): AsyncGenerator<StoredBlock[]> {
    do {
      // from where they are moved first: so none is missed
      for (const place of this.#places.order.slice(-2)) {
        yield * place.stored.blocks(options)
      }
    } while (await this.#places.follow())
  }

  async sizeOf (block: StoredBlock): Promise<number> {
    const { now, before = now } = this.#places

    // packs say the size of what they list
    return block.size ?? (before.layout === 'files' ? before : now).stored.sizeOf(block)
  }

  async remove (...[blocks, options]: Parameters<BlockStorage['remove']>): Promise<void> {
    for (const place of this.#places.order.slice(-2)) {
      await place.stored.remove(blocks, options)
    }
  }
}

function isFresh ({ plain }: Place): boolean {
  return 'freshBlocks' in plain && plain.freshBlocks === true
}

async function * copies (blocks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const bytes of blocks) {
    yield Uint8Array.from(bytes)
  }
}
