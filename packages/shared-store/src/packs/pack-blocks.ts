import { DamagedPackError, keyOf, keyText } from '@ipfsz/blockstore-packed/whole'
import { checkBlock } from '@ipfsz/core'
import { NotFoundError } from 'interface-store'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import { StoreObjectError } from '../errors.ts'
import { PackReader } from './pack-reader.ts'
import type { AbortOptions } from '../objects/object-store.ts'
import type { PackBytes } from './pack-reader.ts'
import type { PackCatalog } from './pack-catalog.ts'
import type { PackWriter } from './pack-writer.ts'
import type { Key, Row } from '@ipfsz/blockstore-packed/whole'
import type { MultihashDigest } from 'multiformats'

/** How often packs are listed for one block at most. */
const MAX_LISTS = 5

export interface PackBlocksInit extends PackBytes {
  catalog: PackCatalog
  writer: Pick<PackWriter, 'get'>
  /** Lists the packs. @default `catalog.refresh` */
  refresh?: ((signal: AbortSignal | undefined) => Promise<void>) | undefined
  /**
   * Bytes that are read because they are expected, and not used yet, at most. Memory keeps 64 MiB.
   *
   * @default 50331648
   */
  maxAhead?: number | undefined
}

/** Reads blocks of the packs of a store. */
export class PackBlocks {
  readonly #init: PackBlocksInit
  readonly #reader: PackReader

  constructor (init: PackBlocksInit) {
    this.#init = init
    this.#reader = new PackReader(init, init.maxAhead)
  }

  /** So many bytes are about to be read, as somebody says: requests need not begin small. */
  expect (bytes: number): void {
    this.#reader.expect(bytes)
  }

  /** Begin to read blocks with `readWithCid`, with few requests: no more than memory keeps, 64 MiB. */
  prepare (rows: readonly Row[]): void {
    this.#reader.prepare(rows.map(row => ({ row, key: this.#init.catalog.keyOf(row.pack) })), true)
  }

  /**
   * Read a block, into memory of its own. Its hash is right.
   *
   * @throws {NotFoundError}
   * @throws {CorruptBlockError} it has another hash, of another kind than SHA-256
   * @throws {StoreObjectError} it is damaged wherever it is
   */
  async get (cid: CID, { signal }: AbortOptions = {}): Promise<Uint8Array> {
    signal?.throwIfAborted()
    const { catalog, writer } = this.#init
    const { multihash } = cid
    let damage: unknown
    const pending = await writer.get(multihash)

    if (pending != null) {
      return Uint8Array.prototype.slice.call(pending)
    }

    // what is known without a list first. A collection may move the block while the packs are listed, and after that
    for (let lists = 0, isGone = true; isGone && lists <= MAX_LISTS; lists++) {
      await (lists > 0 ? this.#refresh(signal) : undefined)
      isGone = lists === 0

      for (const row of await catalog.find(keyOf(multihash))) {
        const bytes = await this.readAt(row, multihash, { signal }).catch((err: unknown) => {
          if (!(err instanceof StoreObjectError)) {
            throw err
          }

          damage = err

          return 'damaged' as const
        })

        if (bytes instanceof Uint8Array) {
          await (multihash.code === sha256.code ? undefined : checkBlock(cid, bytes))

          return bytes
        }

        isGone ||= bytes == null
      }

      isGone ||= !catalog.isSettled
    }

    throw damage ?? new NotFoundError(`The block ${cid.toString()} is not in the store`)
  }

  /**
   * Read blocks that are wanted together, with few requests. The caller compares them with their hashes.
   *
   * @returns undefined for those that `get` has to read, or that are too many: it also says what is wrong with one
   */
  async getTogether (
    cids: readonly CID[],
    { maxBytes, signal }: AbortOptions & { maxBytes: number }
  ): Promise<Array<Uint8Array | undefined>> {
    const { catalog } = this.#init
    await (catalog.isListed ? undefined : this.#refresh(signal).catch(() => { signal?.throwIfAborted() }))
    const rows: Array<Row | undefined> = []
    let bytes = 0

    for (const { multihash } of cids) {
      const [row] = await catalog.find(keyOf(multihash))
      bytes += row?.length ?? 0
      rows.push(bytes <= maxBytes ? row : undefined)
    }

    this.#reader.prepare(rows.flatMap(row => row == null ? [] : [{ row, key: catalog.keyOf(row.pack) }]))

    return Promise.all(rows.map(async (row, i) => {
      // a damaged place is not avoided: who reads it next is to hear of it
      return row && this.#readAt(row, cids[i].multihash, { signal, isChecked: false }).catch(() => {
        signal?.throwIfAborted()

        return undefined
      })
    }))
  }

  /**
   * Read a block at one of its places.
   *
   * @returns undefined if the pack is gone
   * @throws {StoreObjectError} it is damaged. From now on the place is not used any more
   */
  async readAt (row: Row, multihash: MultihashDigest, options?: AbortOptions): Promise<Uint8Array | undefined> {
    return this.#readAt(row, multihash, options).catch((err: unknown) => {
      if (err instanceof StoreObjectError) {
        this.#init.catalog.avoid(row)
      }

      throw err
    })
  }

  async #readAt (
    row: Row,
    multihash: MultihashDigest,
    options?: AbortOptions & { isChecked?: boolean }
  ): Promise<Uint8Array | undefined> {
    return this.#unlessGone(row, async key => this.#reader.read(row, key, multihash, options))
  }

  /** The same, with the CID with which it was stored. */
  async readWithCid (
    { key, row }: { key: Key, row: Row },
    options?: AbortOptions
  ): Promise<{ cid: CID, bytes: Uint8Array } | undefined> {
    const { catalog } = this.#init
    const cid = await this.#readCid({ key, row }, options).catch((err: unknown) => {
      if (!(err instanceof StoreObjectError)) {
        throw err
      }

      if (key.kind !== 0) {
        catalog.avoid(row)
        throw err
      }

      // other sections of the frame are damaged: its CID is unknown, but for the hash
      return cidOfKey(key)
    })

    if (cid != null && keyText(keyOf(cid.multihash)) !== keyText(key)) {
      catalog.avoid(row)
      throw new StoreObjectError(catalog.keyOf(row.pack) ?? row.pack, 'another block is there', {
        cause: new DamagedPackError(row.pack, row.frame, 'another block is there')
      })
    }

    const bytes = cid == null ? undefined : await this.readAt(row, cid.multihash, options)

    return cid == null || bytes == null ? undefined : { cid, bytes }
  }

  /** The CID of a block, but for its codec. Undefined if its pack is gone. */
  async cidOf (block: { key: Key, row: Row }, options?: AbortOptions): Promise<CID | undefined> {
    return block.key.kind === 0 ? cidOfKey(block.key) : this.#readCid(block, options)
  }

  async #readCid ({ key: { kind }, row }: { key: Key, row: Row }, options?: AbortOptions): Promise<CID | undefined> {
    return this.#unlessGone(row, async key => this.#reader.readCid(row, key, { ...options, isShort: kind === 0 }))
  }

  async #unlessGone<T> ({ pack }: Row, read: (key: string | undefined) => Promise<T>): Promise<T | undefined> {
    const { catalog } = this.#init
    const key = catalog.keyOf(pack)

    try {
      return key == null && catalog.isListed ? undefined : await read(key)
    } catch (err) {
      if (err instanceof Error && err.name === 'NotFoundError') {
        return undefined
      }

      throw err
    }
  }

  async #refresh (signal: AbortSignal | undefined): Promise<void> {
    const { catalog, refresh = async signal => catalog.refresh(signal) } = this.#init
    await refresh(signal)
  }
}

/** The CID of a block with a SHA-256. */
function cidOfKey ({ bytes }: Key): CID {
  return CID.createV1(raw.code, Digest.create(sha256.code, bytes))
}
