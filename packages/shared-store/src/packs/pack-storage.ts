import { DamagedPackError, PackIndex, compressInPool, keyOf, keyText } from '@ipfsz/blockstore-packed/whole'
import { collectBytes } from '@ipfsz/utils/bytes'
import { NotFoundError } from 'interface-store'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import * as Digest from 'multiformats/hashes/digest'
import { sha256 } from 'multiformats/hashes/sha2'
import { backgroundClock, sleep, systemClock } from '../clock.ts'
import { StoreError, StoreObjectError } from '../errors.ts'
import { PackCatalog } from './pack-catalog.ts'
import { newPackId, tailOfPack } from './pack-keys.ts'
import { PackReader } from './pack-reader.ts'
import { PackWriter } from './pack-writer.ts'
import { SessionPackBlocks } from './session-pack-blocks.ts'
import type { Clock } from '../clock.ts'
import type { AbortOptions, ObjectStore } from '../objects/object-store.ts'
import type { BlockStorage, StoredBlock } from '../storage/block-storage.ts'
import type { Compress, Disk, IndexedBlock, Key, Row } from '@ipfsz/blockstore-packed/whole'
import type { PackUser } from './pack-writer.ts'
import type { Blockstore, InputPair, Pair } from 'interface-blockstore'
import type { MultihashDigest } from 'multiformats'

type Source<T> = Iterable<T> | AsyncIterable<T>
type Options = Parameters<Blockstore['has']>[1]

/** Bytes of a pack from which it is stored. */
const PACK_SIZE = 32 * 1024 * 1024
const DEFAULT_LEVEL = 3
/** How often packs are listed for one block at most. */
const MAX_LISTS = 5
/** For how long a list of packs is good for `has`, in milliseconds. */
const FRESH = 1000
/** After how long blocks are stored that no session syncs, in milliseconds: what a daemon has fetched. */
const DELAY = 10_000
/** For how long blocks are gathered that others wait for, in milliseconds. */
const GATHER = 100

export interface PackStorageInit {
  objects: ObjectStore
  /** Where this node keeps what it knows of the packs. By default in memory. */
  disk?: Disk | undefined
  /** The compression level of zstd. @default 3 */
  level?: number | undefined
  /** Bytes of a pack from which it is stored. @default 33554432 */
  packSize?: number | undefined
  /** Compresses frames. By default in the thread pool of Node. */
  compress?: Compress | undefined
  clock?: Clock | undefined
}

/** The blocks of a store, in packs that are written whole. A pack never changes, and none is written twice. */
export class PackStorage implements BlockStorage {
  readonly catalog: PackCatalog
  /** Bytes of a pack from which it is stored. */
  readonly packSize: number
  readonly writer: PackWriter
  /** Stores what a collection copies. */
  readonly copier: PackWriter
  readonly #reader: PackReader
  readonly #clock: Clock
  readonly #background: Clock
  #cancelSync: (() => void) | undefined
  #flushing: Promise<void> | undefined

  constructor ({
    objects, disk, level = DEFAULT_LEVEL, packSize = PACK_SIZE, compress = compressInPool, clock
  }: PackStorageInit) {
    this.#clock = clock ?? systemClock
    this.#background = clock ?? backgroundClock
    this.catalog = new PackCatalog(objects, new PackIndex({ disk, newId: newPackId }), this.#clock)
    const init = { objects, catalog: this.catalog, level, packSize, compress, clock: this.#clock }
    this.writer = new PackWriter(init)
    this.copier = new PackWriter({ ...init, isCopying: true })
    this.packSize = packSize
    this.#reader = new PackReader(objects)
  }

  /** The blocks as a session sees them that has listed the rounds: it relies on the packs in which it finds them. */
  forSession (session: PackUser): Blockstore {
    return new SessionPackBlocks(this, session)
  }

  async open (): Promise<void> {
    // packs are listed when they are needed
  }

  /** Resolves when everything that was put is stored. */
  async sync (): Promise<void> {
    this.#cancelSync?.()
    this.#cancelSync = undefined
    await this.writer.sync()
  }

  /** Store what was put, so that other processes find it, with what is put in the next moment. */
  async flush (): Promise<void> {
    this.#flushing ??= this.#flushSoon()
    await this.#flushing
  }

  async #flushSoon (): Promise<void> {
    await sleep(this.#clock, GATHER)
    // what is put from now on is for the next one
    this.#flushing = undefined
    await this.sync()
  }

  async syncLater (): Promise<void> {
    // what is found in the store is durable
  }

  async settled (): Promise<void> {
    await this.sync().catch(() => { /* nothing of it was acknowledged */ })
  }

  /** Store a block. One that is there is read: if it is damaged, it was fetched to repair it, and is stored again. */
  async put (cid: CID, value: Parameters<Blockstore['put']>[1], options?: Options): Promise<CID> {
    const bytes = value instanceof Uint8Array ? value : await collectBytes(value)
    options?.signal?.throwIfAborted()

    if (!await this.#isGood(cid, options)) {
      await this.writer.put(cid, bytes)
      this.#cancelSync ??= this.#background.after(DELAY, () => {
        this.sync().catch(() => { /* tried again with the next block */ })
      })
    }

    return cid
  }

  async #isGood ({ multihash }: CID, options?: Options): Promise<boolean> {
    await this.catalog.refreshOnce(options?.signal ?? undefined)

    for (const row of await this.catalog.find(keyOf(multihash))) {
      try {
        if (await this.readAt(row, multihash, { signal: options?.signal ?? undefined }) != null) {
          return true
        }
      } catch (err) {
        if (!(err instanceof StoreObjectError)) {
          throw err
        }
      }
    }

    return false
  }

  async has ({ multihash }: CID, options?: Options): Promise<boolean> {
    return this.writer.has(keyOf(multihash)) || (await this.placesOf(keyOf(multihash), options)).length > 0
  }

  /**
   * Where a block is, as of less than a second ago.
   *
   * @returns none if no pack has it: that is as of now
   */
  async placesOf (key: Key, options?: Options): Promise<Row[]> {
    const signal = options?.signal ?? undefined
    await this.catalog.refreshIfOlder(FRESH, signal)
    let rows = await this.catalog.find(key)

    for (let lists = 0; rows.length === 0 && lists < (this.catalog.isSettled ? 1 : MAX_LISTS); lists++) {
      await this.catalog.refresh(signal)
      rows = await this.catalog.find(key)
    }

    return rows
  }

  async * get (cid: CID, options?: Options): AsyncGenerator<Uint8Array> {
    const signal = options?.signal ?? undefined
    signal?.throwIfAborted()
    const { multihash } = cid
    let damage: unknown
    const pending = await this.writer.get(multihash)

    if (pending != null) {
      yield pending
      return
    }

    // what is known without a list first. A collection may move the block while the packs are listed, and after that
    for (let lists = 0, isGone = true; isGone && lists <= MAX_LISTS; lists++) {
      await (lists > 0 ? this.catalog.refresh(signal) : undefined)
      isGone = lists === 0

      for (const row of await this.catalog.find(keyOf(multihash))) {
        const bytes = await this.readAt(row, multihash, { signal }).catch((err: unknown) => {
          if (!(err instanceof StoreObjectError)) {
            throw err
          }

          damage = err

          return 'damaged' as const
        })

        if (bytes instanceof Uint8Array) {
          yield bytes
          return
        }

        isGone ||= bytes == null
      }

      isGone ||= !this.catalog.isSettled
    }

    throw damage ?? new NotFoundError(`The block ${cid.toString()} is not in the store`)
  }

  /**
   * Read a block at one of its places.
   *
   * @returns undefined if the pack is gone
   * @throws {StoreObjectError} it is damaged. From now on the place is not used any more
   */
  async readAt (row: Row, multihash: MultihashDigest, options?: AbortOptions): Promise<Uint8Array | undefined> {
    const key = this.catalog.keyOf(row.pack)

    try {
      return key == null ? undefined : await this.#reader.read(row, key, multihash, options)
    } catch (err) {
      if (err instanceof Error && err.name === 'NotFoundError') {
        return undefined
      }

      if (err instanceof StoreObjectError) {
        this.catalog.avoid(row)
      }

      throw err
    }
  }

  /** The same, with the CID with which it was stored. */
  async readWithCid (
    { key, row }: { key: Key, row: Row },
    options?: AbortOptions
  ): Promise<{ cid: CID, bytes: Uint8Array } | undefined> {
    const block = { key, rows: [row] }
    const cid = await this.#cidOf(block, options, true).catch(async (err: unknown) => {
      if (!(err instanceof StoreObjectError)) {
        throw err
      }

      if (key.kind !== 0) {
        this.catalog.avoid(row)
        throw err
      }

      // other sections of the frame are damaged: its CID is unknown, but for the hash
      return this.#cidOf(block, options)
    })

    if (cid != null && keyText(keyOf(cid.multihash)) !== keyText(key)) {
      this.catalog.avoid(row)
      throw new StoreObjectError(this.catalog.keyOf(row.pack) ?? row.pack, 'another block is there', {
        cause: new DamagedPackError(row.pack, row.frame, 'another block is there')
      })
    }

    const bytes = cid == null ? undefined : await this.readAt(row, cid.multihash, options)

    return cid == null || bytes == null ? undefined : { cid, bytes }
  }

  /**
   * The CID of a block. That of a SHA-256 is known from the index, but for its codec.
   *
   * @param isExact - whether to read it
   */
  async #cidOf (
    { key, rows: [row] }: IndexedBlock,
    options: AbortOptions = {},
    isExact = false
  ): Promise<CID | undefined> {
    if (key.kind === 0 && !isExact) {
      return CID.createV1(raw.code, Digest.create(sha256.code, key.bytes))
    }

    const pack = this.catalog.keyOf(row.pack)

    try {
      return pack == null ? undefined : await this.#reader.readCid(row, pack, options)
    } catch (err) {
      if (err instanceof Error && err.name === 'NotFoundError') {
        return undefined
      }

      throw err
    }
  }

  async * blocks (options?: Options): AsyncGenerator<StoredBlock[]> {
    const signal = options?.signal ?? undefined
    await this.sync()
    await this.catalog.refresh(signal)

    for await (const page of this.catalog.blocks()) {
      const listed: StoredBlock[] = []

      for (const block of page) {
        signal?.throwIfAborted()
        const cid = await this.#cidOf(block, { signal })
        listed.push(...cid == null ? [] : [{ multihash: cid.multihash, size: block.rows[0].length }])
      }

      yield listed
    }
  }

  async sizeOf ({ size = 0 }: StoredBlock): Promise<number> {
    return size
  }

  async * putMany (source: Source<InputPair>, options?: Options): AsyncGenerator<CID> {
    for await (const { cid, bytes } of source) {
      yield await this.put(cid, bytes, options)
    }
  }

  async * getMany (source: Source<CID>, options?: Options): AsyncGenerator<Pair> {
    for await (const cid of source) {
      yield { cid, bytes: this.get(cid, options) }
    }
  }

  async * getAll (options?: Options): AsyncGenerator<Pair> {
    for await (const page of this.blocks(options)) {
      for (const { multihash } of page) {
        const cid = CID.createV1(raw.code, multihash)

        yield { cid, bytes: this.get(cid, options) }
      }
    }
  }

  /** @throws {StoreError} always: collections delete packs */
  async delete (): Promise<void> {
    throw new StoreError('Blocks of a store of packs are deleted by collections only')
  }

  /** @throws {StoreError} always: collections delete packs */
  async remove (): Promise<void> {
    await this.delete()
  }

  // oxlint-disable-next-line require-yield -- the interface says so
  async * deleteMany (): AsyncGenerator<CID> {
    await this.delete()
  }

  /** Whether a session may rely on the pack of a row. */
  relies (session: PackUser, { pack }: Row): boolean {
    return session.relyOnPack(tailOfPack(pack))
  }
}
