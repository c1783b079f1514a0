// Above 250 lines: all methods of a blockstore are here, and most are a call to the catalog, the reader or the writer.
import { PackIndex, compressInPool, keyOf } from '@ipfsz/blockstore-packed/whole'
import { collectBytes } from '@ipfsz/utils/bytes'
import { NotFoundError } from 'interface-store'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { backgroundClock, sleep, systemClock } from '../clock.ts'
import { StoreError, StoreObjectError } from '../errors.ts'
import { PackBlocks } from './pack-blocks.ts'
import { PackCatalog } from './pack-catalog.ts'
import { newPackId, tailOfPack } from './pack-keys.ts'
import { PackLinks } from './pack-links.ts'
import { PackWriter } from './pack-writer.ts'
import { SessionPackBlocks } from './session-pack-blocks.ts'
import type { Clock } from '../clock.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { BlockStorage, StoredBlock } from '../storage/block-storage.ts'
import type { FreeSpace } from '../storage/free-space.ts'
import type { Compress, Disk, Key, Row } from '@ipfsz/blockstore-packed/whole'
import type { PackBlocksInit } from './pack-blocks.ts'
import type { PackBytes } from './pack-reader.ts'
import type { PackUser } from './pack-writer.ts'
import type { Blockstore, InputPair, Pair } from 'interface-blockstore'

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
  /** The space that packs may take, but for copies of collections. By default there is no limit. */
  freeSpace?: FreeSpace | undefined
  /** Makes the store ready to write. */
  open?: (() => Promise<void>) | undefined
}

/** The blocks of a store, in packs that are written whole. A pack never changes, and none is written twice. */
export class PackStorage implements BlockStorage {
  readonly checksBlocks = true
  readonly freshBlocks = true
  readonly catalog: PackCatalog
  /** Bytes of a pack from which it is stored. */
  readonly packSize: number
  /** The compression level of zstd. */
  readonly level: number
  readonly writer: PackWriter
  /** Stores what a collection copies. */
  readonly copier: PackWriter
  /** Reads from the store. */
  readonly reading: PackBlocks
  /** What blocks link to. */
  readonly links: PackLinks
  readonly #objects: ObjectStore
  readonly #open: () => Promise<void>
  readonly #clock: Clock
  readonly #background: Clock
  #cancelSync: (() => void) | undefined
  #flushing: Promise<void> | undefined

  constructor ({
    objects, disk, level = DEFAULT_LEVEL, packSize = PACK_SIZE, compress = compressInPool, clock, freeSpace,
    open = async () => {}
  }: PackStorageInit) {
    this.#clock = clock ?? systemClock
    this.#background = clock ?? backgroundClock
    this.catalog = new PackCatalog(objects, new PackIndex({ disk, newId: newPackId }), this.#clock)
    const init = { objects, catalog: this.catalog, level, packSize, compress, clock: this.#clock }
    this.writer = new PackWriter(freeSpace == null ? init : { ...init, objects: within(freeSpace, objects) })
    this.copier = new PackWriter({ ...init, isCopying: true })
    this.packSize = packSize
    this.level = level
    this.#objects = objects
    this.#open = open
    this.reading = this.readingWith({ read: async (...args) => this.read(...args) })
    this.links = new PackLinks(this.catalog, async (...args) => this.read(...args))
  }

  /** The blocks as a session sees them that has listed the rounds: it relies on the packs in which it finds them. */
  forSession (session: PackUser): SessionPackBlocks {
    return new SessionPackBlocks(this, session)
  }

  /** Reads blocks from packs whose bytes may come from elsewhere, such as the disk of this node. */
  readingWith (packs: Pick<PackBlocksInit, 'maxAhead' | 'read' | 'refresh'>): PackBlocks {
    return new PackBlocks({ ...packs, catalog: this.catalog, writer: this.writer })
  }

  /** Read a part of a pack from the store, as `PackBytes` says. */
  async read (...[pack, key, place]: Parameters<PackBytes['read']>): Promise<Uint8Array> {
    if (key == null) {
      throw new NotFoundError(`No list has the pack ${pack} yet`)
    }

    return this.#objects.get(key, place)
  }

  /** Make ready to write. Packs are listed when they are needed. */
  async open (): Promise<void> {
    await this.#open()
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
        if (await this.reading.readAt(row, multihash, { signal: options?.signal ?? undefined }) != null) {
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
    yield await this.reading.get(cid, { signal: options?.signal ?? undefined })
  }

  async * blocks (options?: Options): AsyncGenerator<StoredBlock[]> {
    const signal = options?.signal ?? undefined
    await this.sync()
    await this.catalog.refresh(signal)

    for await (const page of this.catalog.blocks()) {
      const listed: StoredBlock[] = []

      for (const block of page) {
        signal?.throwIfAborted()
        const cid = await this.reading.cidOf({ key: block.key, row: block.rows[0] }, { signal })
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

/** The same objects: writing one takes space. */
function within (freeSpace: FreeSpace, objects: ObjectStore): Pick<ObjectStore, 'list' | 'put'> {
  return {
    list: (...args) => objects.list(...args),
    put: async (...args) => freeSpace.write(args[1].byteLength, async () => objects.put(...args))
  }
}
