import { mergeEntries } from '../entries/merge-entries.ts'
import { keyIn, readRow } from '../format/entry.ts'
import { IndexFiles, coveredBy } from '../store/index-files.ts'
import { chooseSegments, mergeSegments } from '../store/merge-segments.ts'
import { writeTables } from '../store/scan-packs.ts'
import type { CoveredPack } from '../entries/segment-format.ts'
import type { Disk } from '../disk/disk.ts'
import type { Row } from '../format/entry.ts'
import type { Key } from '../format/key.ts'
import type { PackTable } from './whole-pack.ts'

/** Entries in memory, from which they are written to a file. */
const MAX_MEMORY_ENTRIES = 4 * 65_536

/** All places of a block. */
export interface IndexedBlock {
  key: Key
  rows: Row[]
}

export interface PackIndexInit {
  /** Where its files lie, in `index`. By default it is in memory. */
  disk?: Disk | undefined
  /** A new ID: 32 hexadecimal digits, never the same twice. */
  newId: () => string
}

/**
 * Where the blocks of packs are, in the files that docs/packs.md calls an index. It is made of the tables of packs, so
 * it may be deleted at any time. Several processes may use its directory: what one of them does not find there, because
 * another has just merged it, is read from the packs again.
 */
export class PackIndex {
  readonly #disk: Disk | undefined
  readonly #newId: () => string
  readonly #files: IndexFiles | undefined
  /** Packs that are in no file yet. */
  readonly #tables = new Map<string, PackTable>()
  #covered: ReadonlyMap<string, CoveredPack> = new Map()

  constructor ({ disk, newId }: PackIndexInit) {
    this.#disk = disk
    this.#newId = newId
    this.#files = disk == null ? undefined : new IndexFiles(disk)
  }

  /** Look at the files. What is damaged is not used. */
  async look (): Promise<void> {
    if (this.#files != null) {
      const { segments } = await this.#files.look()
      this.#files.use(segments)
      this.#covered = coveredBy(segments)

      for (const id of this.#tables.keys()) {
        if (this.#covered.has(id)) {
          this.#tables.delete(id)
        }
      }
    }
  }

  has (pack: string): boolean {
    return this.#covered.has(pack) || this.#tables.has(pack)
  }

  /** The packs whose blocks are in it, be they there or not. */
  * packs (): Generator<string> {
    yield * this.#covered.keys()
    yield * this.#tables.keys()
  }

  /** Bytes of all blocks of a pack. */
  bytesOf (pack: string): number {
    return this.#tables.get(pack)?.bytes ?? this.#covered.get(pack)?.bytes ?? 0
  }

  /** Bytes of a pack from which its frames begin. */
  framesOf (pack: string): number {
    return this.#tables.get(pack)?.tableSize ?? this.#covered.get(pack)?.covered ?? 0
  }

  add (pack: string, table: PackTable): void {
    this.#tables.set(pack, table)
  }

  /** All places of a block. @throws {DamagedIndexError} after the next `look`, the file is not used any more */
  find (key: Key): Row[] {
    const rows: Row[] = []

    for (const { table } of this.#tables.values()) {
      table.find(key, rows)
    }

    for (const segment of this.#files?.segments ?? []) {
      this.#files?.find(segment, key, rows)
    }

    return rows
  }

  /** All blocks, in the order of their keys. @throws {DamagedIndexError} as for `find` */
  * blocks (): Generator<IndexedBlock> {
    const sources = [
      ...Array.from(this.#tables.values(), ({ table }) => ({ packs: table.packs, entries: table.sorted() })),
      ...(this.#files?.segments ?? []).map(segment => ({
        packs: segment.packs.map(({ id }) => id), entries: this.#files?.entries(segment) ?? []
      }))
    ]

    for (const group of mergeEntries(sources)) {
      const [{ entry }] = group

      yield { key: keyIn(entry), rows: group.map(({ entry, packs }) => readRow(entry, 0, packs)) }
    }
  }

  get isLarge (): boolean {
    return Array.from(this.#tables.values()).reduce((sum, { table }) => sum + table.count, 0) > MAX_MEMORY_ENTRIES
  }

  /**
   * Write what is in memory to a file, and merge files if there are many.
   *
   * @param exists - whether a pack exists: the others are dropped
   */
  async save (exists: (pack: string) => boolean): Promise<void> {
    if (this.#disk == null || this.#files == null || this.#tables.size === 0) {
      return
    }

    await writeTables(this.#disk, this.#newId(), Array.from(
      this.#tables, ([id, { table, tableSize: size, bytes }]) => ({ id, size, bytes, table })
    ))
    await this.look()
    const many = chooseSegments(this.#files.segments)

    if (many != null) {
      await mergeSegments(this.#disk, this.#newId(), { segments: many, index: this.#files, exists })
      await this.look()
    }

    for (const name of this.#files.useless(exists)) {
      await this.#disk.remove(name)
    }
  }

  close (): void {
    this.#files?.close()
  }
}
