// Room: all packs together: what a process knows of them, adding, deleting, repacking, verifying.
// Not split: what a lookup sees must change at once, so all that changes it is in one class.
import { codeOf } from '../disk/disk.ts'
import { DamagedIndexError, UnreadablePackError } from '../errors.ts'
import { CHANGES, MAINTENANCE, PACKS, idOf } from '../pack/pack-names.ts'
import { IndexFiles, coveredBy } from './index-files.ts'
import { liveRows } from './live-rows.ts'
import { coveredPack, unknownPack } from './pack-state.ts'
import { isIndexable, scanState, writeTables } from './scan-packs.ts'
import type { PackState } from './pack-state.ts'
import type { EntrySource } from '../entries/merge-entries.ts'
import type { EntryTable } from '../entries/entry-table.ts'
import type { Segment } from '../entries/segment.ts'
import type { Disk, DiskFile } from '../disk/disk.ts'
import type { Row } from '../format/entry.ts'
import type { Key } from '../format/key.ts'
import type { PackFiles } from '../pack/pack-files.ts'
import type { PackWriter } from '../pack/pack-writer.ts'

/** How often a view is made anew because others changed something meanwhile. */
const MAX_ROUNDS = 16
/** Entries that may wait in memory for an index file, if that is missing. */
const MAX_WAITING = 2 ** 20

export interface ViewComponents {
  disk: Disk
  files: PackFiles
  newId: () => string
}

/**
 * What this process knows of the packs, and whether that is up to date. What others see changes at once, when a look
 * has ended: in between, a deletion might be missing whose block is already there.
 */
export class View {
  readonly index: IndexFiles
  /** Why packs could not be read at the last look, by their IDs. */
  errors: ReadonlyMap<string, unknown> = new Map()
  /** Whether there was a look. */
  isKnown = false
  readonly #disk: Disk
  readonly #files: PackFiles
  readonly #newId: () => string
  #packs = new Map<string, PackState>()
  /** What this process did to packs while a look runs: undefined for those that are gone. */
  #overrides = new Map<string, PackState | undefined>()
  /** The tables of `#packs`, until those change: there may be thousands of packs, of which few have a table. */
  #tables: EntryTable[] | undefined
  /** Open for announcing, once something was. */
  #changes: DiskFile | undefined
  /** The length of `changes` before the last look began; undefined before the first, and if a look was not whole. */
  #seen: number | undefined
  #looking: Promise<void> | undefined
  /** Whether looks ask for the maintenance lock, and whether it was free during the last one. */
  #asksLock = false
  #wasFree = false

  constructor ({ disk, files, newId }: ViewComponents) {
    this.#disk = disk
    this.#files = files
    this.#newId = newId
    this.index = new IndexFiles(disk)
  }

  get packs (): ReadonlyMap<string, PackState> {
    return this.#packs
  }

  /** Whether nobody has announced a change since the last look began. */
  isFresh (): boolean {
    return this.#seen === this.#disk.sizeOf(CHANGES)
  }

  /** Tell all processes that something has changed. */
  async announce (): Promise<void> {
    this.#changes ??= await this.#disk.open(CHANGES, 'append')
    await this.#changes.write(Uint8Array.of(0), 0)

    // this process knows what it did itself
    if (this.#seen != null && this.#seen + 1 === this.#disk.sizeOf(CHANGES)) {
      this.#seen++
    }
  }

  /** Look again, unless nothing has changed. */
  async refresh (): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS && !this.isFresh(); round++) {
      await this.#look()

      // what cannot be read now cannot be read a moment later
      if (this.errors.size > 0) {
        return
      }
    }
  }

  /**
   * The same for who leaves out blocks that are here. Deletions are announced before and after they are written, and a
   * process may be killed in between: what was seen meanwhile, while it had the lock, is looked at again.
   */
  async refreshToWrite (): Promise<void> {
    this.#asksLock = true

    if (!this.#wasFree) {
      await this.lookAgain()
    }

    await this.refresh()
  }

  /** @throws {UnreadablePackError} there may be blocks in a pack, or deletions of blocks that seem to live */
  checkReadable (): void {
    for (const [pack, cause] of this.errors) {
      throw new UnreadablePackError(pack, { cause })
    }
  }

  /** Look again in any case: a pack is gone, or the index changed. */
  async lookAgain (): Promise<void> {
    // one that runs may have looked before
    await this.#looking?.catch(() => {})
    await this.#look()
    await this.refresh()
  }

  /** The places of a block: at once, unless an index file turns out to be damaged. */
  find (key: Key): Row[] | Promise<Row[]> {
    const rows: Row[] = []
    this.#tables ??= this.#listTables()

    for (const table of this.#tables) {
      table.find(key, rows)
    }

    try {
      for (const segment of this.index.segments) {
        this.index.find(segment, key, rows)
      }
    } catch (err) {
      if (!(err instanceof DamagedIndexError)) {
        throw err
      }

      // without the damaged file: what it covered is read from the packs
      return this.lookAgain().then(() => this.find(key))
    }

    return liveRows(rows, this.#packs)
  }

  /**
   * The same for who deletes blocks or removes packs.
   *
   * @throws {UnreadablePackError}
   */
  findAll (key: Key): Row[] | Promise<Row[]> {
    const rows = this.find(key)

    if (rows instanceof Promise) {
      // what it finds may lack a pack that could not be read at that moment
      return rows.then(() => this.findAll(key))
    }

    this.checkReadable()

    return rows
  }

  /** Places of a block that are deleted, but by a process that has not synced that: a loss of power may undo it. */
  findUnsyncedDeletions (key: Key): Row[] {
    const rows: Row[] = []

    for (const { table, isSealed, writer, durable, size } of this.#packs.values()) {
      if (!isSealed && writer == null && durable < size) {
        table?.find(key, rows)
      }
    }

    return rows.filter(row => row.deleted && this.#packs.has(row.pack))
  }

  /** Whether the block at a place cannot be lost, if this process syncs its own pack. */
  isDurable ({ pack, frame }: Row): boolean {
    const state = this.#packs.get(pack)

    return state != null && (state.writer != null || state.isSealed || frame < state.durable)
  }

  has (key: Key): boolean | Promise<boolean> {
    const rows = this.find(key)

    return rows instanceof Promise ? rows.then(rows => rows.length > 0) : rows.length > 0
  }

  /** Whether a block cannot be lost, if this process syncs its own pack. Not if a pack may hold a deletion of it. */
  hasDurable (key: Key): boolean | Promise<boolean> {
    const rows = this.find(key)

    return rows instanceof Promise
      ? rows.then(() => this.hasDurable(key))
      : this.errors.size === 0 && rows.some(row => this.isDurable(row))
  }

  /** All entries, sorted within each source. */
  sources (): EntrySource[] {
    return [
      ...this.#listTables().map(table => ({ packs: table.packs, entries: table.sorted() })),
      ...this.index.segments.map(segment => ({
        packs: segment.packs.map(({ id }) => id), entries: this.index.entries(segment)
      }))
    ]
  }

  /** This process begins to write a pack. */
  addWriter (writer: PackWriter): void {
    this.#override(writer.id, { ...unknownPack(writer.id), table: writer.table, writer })
  }

  /** This process writes a pack no more. Everything that it wrote is synced. */
  removeWriter (writer: PackWriter, isSealed: boolean): void {
    const { id, table, bytes, size, synced: durable } = writer
    this.#override(id, { ...unknownPack(id), table, bytes, size, durable, isSealed })
  }

  /** This process deletes a pack. */
  remove (id: string): void {
    this.#override(id, undefined)
    this.#files.forget(id)
  }

  async close (): Promise<void> {
    await this.#looking?.catch(() => {})
    this.index.close()
    this.#changes?.close()
    this.#changes = undefined
    this.#seen = undefined
    this.isKnown = false
    this.#packs = new Map()
    this.#tables = undefined
  }

  #listTables (): EntryTable[] {
    return Array.from(this.#packs.values()).flatMap(({ table }) => table == null ? [] : [table])
  }

  #override (id: string, state: PackState | undefined): void {
    this.#overrides.set(id, state)
    this.#apply(this.#packs)
    this.#tables = undefined
  }

  #apply (packs: Map<string, PackState>): void {
    for (const [id, state] of this.#overrides) {
      if (state == null) {
        packs.delete(id)
      } else {
        packs.set(id, state)
      }
    }

    if (this.#looking == null) {
      this.#overrides.clear()
    }
  }

  async #look (): Promise<void> {
    await (this.#looking ??= this.#lookOnce())
  }

  async #lookOnce (): Promise<void> {
    try {
      // before anything is read: what changes meanwhile is looked at again
      const seen = this.#disk.sizeOf(CHANGES)
      const wasFree = this.#asksLock && !await this.#disk.isLocked(MAINTENANCE)
      let found = await this.index.look()
      const packs = await this.#listPacks(found.segments)
      const { errors, isIndexed } = await this.#scan(packs)
      let isWhole = !found.isGone && errors.size === 0

      if (isIndexed) {
        found = await this.index.look()
        isWhole = this.#checkCovered(packs, found.segments) && isWhole
      }

      this.#apply(packs)
      const gone = Array.from(this.#packs.keys()).filter(id => !packs.has(id))
      this.#packs = packs
      this.#tables = undefined
      this.errors = errors
      this.isKnown = true
      this.#seen = isWhole ? seen : undefined
      this.#wasFree = wasFree
      this.index.use(found.segments)
      gone.forEach(id => { this.#files.forget(id) })
    } finally {
      this.#looking = undefined
      this.#overrides.clear()
    }
  }

  async #listPacks (segments: readonly Segment[]): Promise<Map<string, PackState>> {
    const listed = (await this.#disk.list(PACKS)).map(idOf).filter(id => id != null)
    const covered = coveredBy(segments)

    return new Map(listed.map(id => {
      const state = this.#packs.get(id)
      const pack = covered.get(id)

      if (pack != null && state?.writer == null) {
        return [id, coveredPack(pack)]
      }

      return [id, state?.table == null ? unknownPack(id) : state]
    }))
  }

  /** @returns why packs could not be read, and whether some are now in a new index file */
  async #scan (packs: Map<string, PackState>): Promise<{ errors: Map<string, unknown>, isIndexed: boolean }> {
    const errors = new Map<string, unknown>()
    let waiting = 0
    let isIndexed = false

    for (const state of packs.values()) {
      if (state.writer != null || state.isSealed) {
        continue
      }

      try {
        await scanState(this.#disk, this.#files, state)
        waiting += isIndexable(state) ? state.table?.count ?? 0 : 0
      } catch (err) {
        if (codeOf(err) === 'ENOENT') {
          packs.delete(state.id)
        } else {
          // other packs can still be read
          errors.set(state.id, err)
        }
      }

      if (waiting >= MAX_WAITING && await this.#writeWaiting(packs)) {
        waiting = 0
        isIndexed = true
      }
    }

    return { errors, isIndexed }
  }

  /** Write an index file of the packs that have none, so that their entries need no memory. */
  async #writeWaiting (packs: Map<string, PackState>): Promise<boolean> {
    const states = Array.from(packs.values()).filter(isIndexable)

    try {
      await writeTables(this.#disk, this.#newId(), states)
    } catch {
      // on a read-only file system they stay in memory
      return false
    }

    for (const state of states) {
      // not the state itself: lookups use it until this look ends
      packs.set(state.id, { ...state, table: undefined })
    }

    return true
  }

  /** Whether index files have all packs without a table. Those that are in none are read at the next look. */
  #checkCovered (packs: Map<string, PackState>, segments: readonly Segment[]): boolean {
    const covered = coveredBy(segments)
    const lost = Array.from(packs.values()).filter(({ id, table }) => table == null && !covered.has(id))
    lost.forEach(({ id }) => packs.set(id, unknownPack(id)))

    return lost.length === 0
  }
}
