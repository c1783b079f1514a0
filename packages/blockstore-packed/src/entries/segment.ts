import { crc32 } from 'node:zlib'
import { DamagedIndexError } from '../errors.ts'
import { readExactly } from '../disk/disk.ts'
import { ENTRY_SIZE, compareKey, hasKey, readRow } from '../format/entry.ts'
import {
  FOOTER_SIZE, PAGE_ENTRIES, PAGE_SIZE, SEGMENT_HEADER, bucketOf, decodeTables, sizeOfTables
} from './segment-format.ts'
import type { PageCache } from './page-cache.ts'
import type { CoveredPack, SegmentTables } from './segment-format.ts'
import type { Disk, DiskFile } from '../disk/disk.ts'
import type { Row } from '../format/entry.ts'
import type { Key } from '../format/key.ts'

/** Pages that a sequential read takes at once. */
const READ_AHEAD = 16

/** An index file: sorted entries, which never change. */
export class Segment {
  readonly name: string
  readonly #file: DiskFile
  readonly #tables: SegmentTables
  readonly #packs: string[]
  readonly #pages: PageCache
  #reads = 0
  #isClosed = false

  private constructor (name: string, file: DiskFile, tables: SegmentTables, pages: PageCache) {
    this.name = name
    this.#file = file
    this.#tables = tables
    this.#packs = tables.packs.map(({ id }) => id)
    this.#pages = pages
  }

  /** @throws {DamagedIndexError} it is not an index file, or not whole */
  static async open (disk: Disk, name: string, pages: PageCache): Promise<Segment> {
    const file = await disk.open(name, 'read')

    try {
      const size = file.size()

      if (size < SEGMENT_HEADER.byteLength + FOOTER_SIZE) {
        throw new DamagedIndexError(name, 'it is too short')
      }

      const tablesSize = sizeOfTables(await readExactly(file, size - FOOTER_SIZE, FOOTER_SIZE), size)
      const tables = tablesSize == null
        ? undefined
        : decodeTables(await readExactly(file, size - tablesSize, tablesSize))

      if (tables == null) {
        throw new DamagedIndexError(name, 'its tables are not what they should be')
      }

      return new Segment(name, file, tables, pages)
    } catch (err) {
      await file.close()
      throw err
    }
  }

  get packs (): readonly CoveredPack[] {
    return this.#tables.packs
  }

  get entries (): number {
    return this.#tables.entries
  }

  /**
   * The rows of a key: at once if the pages are in memory.
   *
   * @throws {DamagedIndexError} a page is damaged
   */
  find (key: Key): Row[] | Promise<Row[]> {
    const { bits, fanout } = this.#tables
    const bucket = bucketOf(key.bytes, bits)
    const start = bucket === 0 ? 0 : fanout[bucket - 1]
    const end = fanout[bucket]

    return this.#findIn(key, start, end, [])
  }

  /** All entries, sorted. */
  async * all (): AsyncGenerator<Buffer> {
    for (let page = 0; page * PAGE_ENTRIES < this.entries; page += READ_AHEAD) {
      for (const bytes of await this.#read(page, READ_AHEAD)) {
        for (let at = 0; at < bytes.byteLength; at += ENTRY_SIZE) {
          yield bytes.subarray(at, at + ENTRY_SIZE)
        }
      }
    }
  }

  /** Whether it is no longer part of the index: lookups that began before fail, and begin again. */
  get isClosed (): boolean {
    return this.#isClosed
  }

  /** The file is closed when nobody reads it any more. */
  async close (): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true
      await this.#closeUnused()
    }
  }

  async #closeUnused (): Promise<void> {
    if (this.#isClosed && this.#reads === 0) {
      this.#reads = -1
      await this.#file.close()
    }
  }

  #findIn (key: Key, start: number, end: number, rows: Row[]): Row[] | Promise<Row[]> {
    for (let first = start; first < end;) {
      const number = Math.floor(first / PAGE_ENTRIES)
      const last = Math.min(end, (number + 1) * PAGE_ENTRIES)
      const page = this.#pages.get(`${this.name} ${number}`)

      if (page == null) {
        return this.#load(number).then(() => this.#findIn(key, first, end, rows))
      }

      if (!search(page, key, [first - number * PAGE_ENTRIES, last - number * PAGE_ENTRIES], this.#packs, rows)) {
        break
      }

      first = last
    }

    return rows
  }

  async #load (number: number): Promise<void> {
    const [page] = await this.#read(number, 1)
    this.#pages.set(`${this.name} ${number}`, page)
  }

  async #read (first: number, count: number): Promise<Buffer[]> {
    const entries = Math.min(this.entries, (first + count) * PAGE_ENTRIES) - first * PAGE_ENTRIES
    const pages = Math.ceil(entries / PAGE_ENTRIES)
    let bytes: Buffer

    if (this.#reads < 0) {
      throw new DamagedIndexError(this.name, 'it is closed')
    }

    this.#reads++

    try {
      bytes = await readExactly(
        this.#file, SEGMENT_HEADER.byteLength + first * PAGE_SIZE, entries * ENTRY_SIZE + pages * 4
      )
    } catch (cause) {
      throw new DamagedIndexError(this.name, 'it cannot be read', { cause })
    } finally {
      this.#reads--
      await this.#closeUnused()
    }

    return Array.from({ length: pages }, (_, i) => {
      const page = bytes.subarray(i * PAGE_SIZE, (i + 1) * PAGE_SIZE)
      const content = page.subarray(0, -4)

      if (crc32(content) !== page.readUInt32LE(content.byteLength)) {
        throw new DamagedIndexError(this.name, `page ${first + i} has another checksum`)
      }

      // not a part of what was read ahead: a page that is kept would keep all of it
      return count === 1 ? content : Buffer.from(content)
    })
  }
}

/**
 * Add the rows of a key among the entries of a page.
 *
 * @returns whether the next page may have more
 */
function search (page: Buffer, key: Key, [start, end]: [number, number], packs: string[], rows: Row[]): boolean {
  let low = start
  let high = end

  while (low < high) {
    const middle = low + high >>> 1

    if (compareKey(page, middle * ENTRY_SIZE, key.bytes) < 0) {
      low = middle + 1
    } else {
      high = middle
    }
  }

  for (; low < end && compareKey(page, low * ENTRY_SIZE, key.bytes) === 0; low++) {
    if (hasKey(page, low * ENTRY_SIZE, key)) {
      rows.push(readRow(page, low * ENTRY_SIZE, packs))
    }
  }

  return low === end
}
