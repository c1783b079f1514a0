import { keyOf } from '@ipfsz/blockstore-packed/whole'
import { WrappedBlockstore } from '@ipfsz/core'
import { collectBytes } from '@ipfsz/utils/bytes'
import { StoreObjectError } from '../errors.ts'
import type { PackCatalog } from './pack-catalog.ts'
import type { PackUser, PackWriter } from './pack-writer.ts'
import type { EncodedBlocks, Key, Row } from '@ipfsz/blockstore-packed/whole'
import type { Blockstore, InputPair, Pair } from 'interface-blockstore'
import type { CID } from 'multiformats/cid'

type Source<T> = Iterable<T> | AsyncIterable<T>
type Options = Parameters<Blockstore['has']>[1]

/** The packs of a store. */
interface SharedPacks extends Blockstore {
  readonly catalog: Pick<PackCatalog, 'find' | 'refresh'>
  readonly writer: Pick<PackWriter, 'put' | 'putEncoded' | 'relies'>
  readonly level: number
  placesOf: (key: Key, options?: Options) => Promise<Row[]>
  relies: (session: PackUser, row: Row) => boolean
}

/**
 * The blocks of packs for a session: it relies on the packs in which it finds them. A block that is only in condemned
 * packs is stored again.
 */
export class SessionPackBlocks extends WrappedBlockstore {
  readonly #storage: SharedPacks
  readonly #session: PackUser
  /** The list of packs that began after the session. */
  #listed: Promise<void> | undefined

  constructor (storage: SharedPacks, session: PackUser) {
    super(storage)
    this.#storage = storage
    this.#session = session
  }

  /** The compression level of zstd for what `putEncoded` takes. */
  get level (): number {
    return this.#storage.level
  }

  /** Which blocks need not be stored: those in packs on which the session may rely, or that will be in one. */
  async hasMany (cids: Iterable<CID>): Promise<boolean[]> {
    const has: boolean[] = []

    for (const cid of cids) {
      has.push(await this.#relyOn(cid))
    }

    return has
  }

  /** Store blocks that `encodeBlocks` has compressed, and `hasMany` does not know. They are copied. */
  async putEncoded (encoded: EncodedBlocks): Promise<void> {
    await this.#storage.writer.putEncoded(encoded, this.#session)
  }

  override async has (cid: CID, options?: Options): Promise<boolean> {
    if (await this.#relyOn(cid)) {
      return true
    }

    const key = keyOf(cid.multihash)
    const rows = await this.#storage.placesOf(key, options)

    // another node may have stored it just now
    if (rows.length === 0 || rows.some(row => this.#storage.relies(this.#session, row))) {
      return rows.length > 0
    }

    return this.#copy(cid, options)
  }

  override async put (cid: CID, value: Parameters<Blockstore['put']>[1], options?: Options): Promise<CID> {
    const bytes = value instanceof Uint8Array ? value : await collectBytes(value)
    options?.signal?.throwIfAborted()

    if (!await this.#relyOn(cid)) {
      await this.#storage.writer.put(cid, bytes, this.#session)
    }

    return cid
  }

  override async * get (cid: CID, options?: Options): AsyncGenerator<Uint8Array> {
    const bytes = await collectBytes(super.get(cid, options))

    if (!await this.#relyOn(cid)) {
      await this.#storage.writer.put(cid, bytes, this.#session)
    }

    yield bytes
  }

  override async * putMany (source: Source<InputPair>, options?: Options): AsyncGenerator<CID> {
    for await (const { cid, bytes } of source) {
      yield await this.put(cid, bytes, options)
    }
  }

  override async * getMany (source: Source<CID>, options?: Options): AsyncGenerator<Pair> {
    for await (const cid of source) {
      yield { cid, bytes: this.get(cid, options) }
    }
  }

  /** Store a block again that is only in condemned packs. @returns false if it is gone meanwhile, or damaged */
  async #copy (cid: CID, options: Options): Promise<boolean> {
    try {
      await this.#storage.writer.put(cid, await collectBytes(super.get(cid, options)), this.#session)

      return true
    } catch (err) {
      if (err instanceof StoreObjectError || (err instanceof Error && err.name === 'NotFoundError')) {
        return false
      }

      throw err
    }
  }

  /** Rely on a block that is in a pack, or will be. @returns false if it has to be stored */
  async #relyOn ({ multihash }: CID): Promise<boolean> {
    await (this.#listed ??= this.#storage.catalog.refresh())
    const key = keyOf(multihash)

    if (await this.#storage.writer.relies(key, this.#session)) {
      return true
    }

    return (await this.#storage.catalog.find(key)).some(row => this.#storage.relies(this.#session, row))
  }
}
