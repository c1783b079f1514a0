import { mapOrdered } from '@ipfsz/utils/map-ordered'
import { StoreObjectError } from '../errors.ts'
import { objectsOf } from '../objects/read-object.ts'
import { PACKS, parsePackKey } from './pack-keys.ts'
import { countingPages, readTable } from './read-table.ts'
import type { Clock } from '../clock.ts'
import type { StoredPack } from './pack-keys.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { IndexedBlock, Key, PackIndex, PackTable, Row } from '@ipfsz/blockstore-packed/whole'

/** Maximum packs of a store: 16 TB in full ones. More are somebody else's, or a list that never ends. */
const MAX_PACKS = 500_000
/** How many tables of packs are read at a time. */
const CONCURRENCY = 16
/** Blocks that are listed at a time. */
const PAGE = 8192

/** Which packs there are, and what is in them. */
export class PackCatalog {
  readonly #objects: ObjectStore
  readonly #index: PackIndex
  readonly #clock: Clock
  /** The packs of the last list. Undefined: none was made. */
  #packs: ReadonlyMap<string, StoredPack> | undefined
  /** Packs whose tables cannot be read. */
  readonly #damaged = new Map<string, StoreObjectError>()
  /** Places at which a block could not be read. */
  readonly #badPlaces = new Set<string>()
  /**
   * Whether what the last list lacks is not there: a list of several pages may lack a block that a collection moved
   * meanwhile, from a pack behind the page to one before it.
   */
  isSettled = true
  #listing: Promise<void> | undefined
  #next: Promise<void> | undefined
  #listed = -Infinity
  #looked: Promise<void> | undefined

  constructor (objects: ObjectStore, index: PackIndex, clock: Clock) {
    this.#clock = clock
    this.#objects = objects
    this.#index = index
  }

  /** The packs of the last list. */
  get packs (): ReadonlyMap<string, StoredPack> {
    return this.#packs ?? new Map()
  }

  /** Whether the packs were ever listed. */
  get isListed (): boolean {
    return this.#packs != null
  }

  /** Packs that are not what they should be: their blocks count as missing. */
  get damaged (): readonly StoreObjectError[] {
    return [...this.#damaged.values()]
  }

  /** List the packs, and read the tables of new ones. The list begins after the call. */
  async refresh (signal?: AbortSignal): Promise<void> {
    if (this.#listing == null) {
      this.#listing = this.#refresh(signal).finally(() => { this.#listing = undefined })

      return this.#listing
    }

    this.#next ??= this.#listing.catch(() => {}).then(async () => {
      this.#next = undefined

      return this.refresh(signal)
    })

    return this.#next
  }

  /** The same, unless it was done since some milliseconds ago. */
  async refreshIfOlder (milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (this.#clock.now() - this.#listed > milliseconds) {
      await this.refresh(signal)
    }
  }

  /** The same, unless it was ever done. */
  async refreshOnce (signal?: AbortSignal): Promise<void> {
    await (this.#packs == null ? this.refresh(signal) : undefined)
  }

  /** Where a block is, as far as that is known. Without a list, packs may be gone meanwhile. */
  async find (key: Key): Promise<Row[]> {
    // another process of this node may know more
    await (this.#looked ??= this.#index.look())

    for (;;) {
      try {
        return this.#usable(this.#index.find(key))
      } catch (err) {
        await this.#mend(err)
      }
    }
  }

  /** All blocks of the packs of the last list, some at a time, in the order of their keys. */
  async * blocks (): AsyncGenerator<IndexedBlock[]> {
    let last: Uint8Array | undefined

    for (let isWhole = false; !isWhole;) {
      try {
        for (const page of this.#pages(last)) {
          yield page
          last = page.at(-1)?.key.bytes
        }

        isWhole = true
      } catch (err) {
        await this.#mend(err)
      }
    }
  }

  /** Bytes of all blocks of a pack. */
  bytesOf (pack: string): number {
    return this.#index.bytesOf(pack)
  }

  /** Bytes of a pack from which its frames begin. */
  framesOf (pack: string): number {
    return this.#index.framesOf(pack)
  }

  /** Whether it is known what is in a pack. */
  knows (pack: string): boolean {
    return this.#index.has(pack) && !this.#damaged.has(pack)
  }

  keyOf (pack: string): string | undefined {
    return this.#packs?.get(pack)?.key
  }

  /** Take note of a pack that was stored. */
  add (pack: StoredPack, table: PackTable): void {
    this.#index.add(pack.id, table)
    this.#packs = new Map([...this.#packs ?? [], [pack.id, pack]])
  }

  /** A block could not be read at a place: look for it elsewhere. */
  avoid (row: Row): void {
    this.#badPlaces.add(placeOf(row))
  }

  /** Keep what is known on the disk of this node. Does nothing if that fails: it can be read again. */
  async save (): Promise<void> {
    await this.#index.save(id => this.#packs?.has(id) ?? true).catch(() => {})
  }

  * #pages (after: Uint8Array | undefined): Generator<IndexedBlock[]> {
    let page: IndexedBlock[] = []

    for (const { key, rows } of this.#index.blocks()) {
      const usable = after == null || Buffer.compare(key.bytes, after) > 0 ? this.#usable(rows) : []

      if (usable.length > 0 && page.push({ key, rows: usable }) === PAGE) {
        yield page
        page = []
      }
    }

    if (page.length > 0) {
      yield page
    }
  }

  /** Make an index file that is damaged again. Each look leaves one out that is. @throws the error, if it is another */
  async #mend (err: unknown): Promise<void> {
    if (!(err instanceof Error) || err.name !== 'DamagedIndexError') {
      throw err
    }

    await this.#index.look()
    await this.refresh()
  }

  #usable (rows: readonly Row[]): Row[] {
    const seen = new Set<string>()

    return rows.filter(row => {
      const place = placeOf(row)
      const isNew = !seen.has(place)
      seen.add(place)

      return isNew && !row.deleted && (this.#packs?.has(row.pack) ?? true) && !this.#badPlaces.has(place)
    })
  }

  async #refresh (signal: AbortSignal | undefined): Promise<void> {
    await (this.#looked ??= this.#index.look())
    const begin = this.#clock.now()
    const packs = new Map<string, StoredPack>()
    const pages = countingPages(this.#objects)

    for await (const { key } of objectsOf(pages, PACKS, signal, MAX_PACKS)) {
      const pack = parsePackKey(key)

      if (pack != null) {
        packs.set(pack.id, pack)
      }
    }

    const unknown = Array.from(packs.values()).filter(({ id }) => !this.#index.has(id) && !this.#damaged.has(id))

    const reading = mapOrdered(unknown, async pack => ({ pack, table: await this.#read(pack, signal) }), {
      concurrency: CONCURRENCY, signal
    })

    for await (const { pack, table } of reading) {
      if (table == null) {
        packs.delete(pack.id)
      } else {
        this.#index.add(pack.id, table)
      }

      if (this.#index.isLarge) {
        await this.save()
      }
    }

    const before = this.#packs
    this.isSettled = pages.count <= 1 ||
      (packs.size === before?.size && Array.from(packs.keys()).every(id => before.has(id)))
    this.#packs = packs
    this.#listed = begin

    if (unknown.length > 0) {
      await this.save()
    }
  }

  /** Undefined if the pack is gone or damaged. */
  async #read ({ id, key }: StoredPack, signal: AbortSignal | undefined): Promise<PackTable | undefined> {
    try {
      return await readTable(this.#objects, { id, key }, signal)
    } catch (err) {
      if (!(err instanceof StoreObjectError)) {
        throw err
      }

      this.#damaged.set(id, err)

      return undefined
    }
  }
}

function placeOf ({ pack, frame, start }: Row): string {
  return `${pack}:${frame}:${start}`
}
