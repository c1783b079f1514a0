import { crc32 } from 'node:zlib'
import { DamagedIndexError } from '../errors.ts'
import { ENTRY_SIZE, compareKey, kindOf, prefixOf, readRow } from '../format/entry.ts'
import { readPart, readTables } from './read-part.ts'
import {
  PAGE_ENTRIES, PAGE_PRINTS, PAGE_SIZE, PRINT_PAGE_SIZE, PRINT_SIZE, SEGMENT_HEADER, bucketOf, printOf, sizeOfPages,
  sizeOfPrints
} from './segment-format.ts'
import type { MemoryCache } from '../util/memory-cache.ts'
import type { CoveredPack, SegmentTables } from './segment-format.ts'
import type { Disk, DiskFile } from '../disk/disk.ts'
import type { Row } from '../format/entry.ts'
import type { Key } from '../format/key.ts'

/** Pages that a sequential read takes at once. */
const READ_AHEAD = 16
const NO_PRINTS = Buffer.alloc(0)
/** Numbers of pages of one file, in the keys of the cache. */
const MAX_PAGES = 2 ** 24

/** What was read last of all index files. */
export interface PageCaches {
  entries: MemoryCache<number, Buffer>
  prints: MemoryCache<number, Buffer>
}

let opened = 0

/** An index file: sorted entries, which never change. */
export class Segment {
  readonly name: string
  readonly #file: DiskFile
  readonly #tables: SegmentTables
  readonly #packs: string[]
  readonly #caches: PageCaches
  /** The key of its first page in the caches. */
  readonly #firstPage = opened++ * MAX_PAGES
  /** The index, and whoever reads all entries. */
  #users = 1

  private constructor (name: string, file: DiskFile, tables: SegmentTables, caches: PageCaches) {
    this.name = name
    this.#file = file
    this.#tables = tables
    this.#packs = tables.packs.map(({ id }) => id)
    this.#caches = caches
  }

  /** @throws {DamagedIndexError} it is not an index file, or not whole */
  static open (disk: Disk, name: string, caches: PageCaches): Segment {
    const file = disk.openRead(name)

    try {
      return new Segment(name, file, readTables(file, name), caches)
    } catch (err) {
      file.close()
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
   * Add the rows of a key.
   *
   * @throws {DamagedIndexError} a page is damaged
   */
  find (key: Key, rows: Row[]): void {
    const { bits, fanout } = this.#tables
    const bucket = bucketOf(key.bytes, bits)
    const print = printOf(key.bytes, bits)
    const start = this.#firstFrom(print, bucket === 0 ? 0 : fanout[bucket - 1], fanout[bucket])
    // those with the print of the key: mostly none, unless the key is there
    const isFound = start < fanout[bucket] && this.#print(start) === print
    const end = isFound ? this.#firstFrom(print + 1, start + 1, fanout[bucket]) : start

    for (let first = start; first < end;) {
      const number = Math.floor(first / PAGE_ENTRIES)
      const last = Math.min(end, (number + 1) * PAGE_ENTRIES)
      const page = this.#page(number)
      const until = last - number * PAGE_ENTRIES
      let at = search(page, key.bytes, first - number * PAGE_ENTRIES, until)

      for (; at < until && compareKey(page, at * ENTRY_SIZE, key.bytes) === 0; at++) {
        if (kindOf(page, at * ENTRY_SIZE) === key.kind) {
          rows.push(readRow(page, at * ENTRY_SIZE, this.#packs))
        }
      }

      if (at < until) {
        return
      }

      // the next page may have more
      first = last
    }
  }

  /** All entries, sorted. They are read to the end even if the file is no longer part of the index. */
  * all (): Generator<Buffer> {
    this.#users++

    try {
      for (let page = 0; page * PAGE_ENTRIES < this.entries; page += READ_AHEAD) {
        const bytes = this.#read(page, READ_AHEAD)

        for (let start = 0, number = page; start < bytes.byteLength; start += PAGE_SIZE, number++) {
          const entries = this.#check(number, bytes.subarray(start, start + PAGE_SIZE))

          for (let at = 0; at < entries.byteLength; at += ENTRY_SIZE) {
            yield entries.subarray(at, at + ENTRY_SIZE)
          }
        }
      }
    } finally {
      this.close()
    }
  }

  /** It is not used any more. The file is closed when nobody reads it. */
  close (): void {
    this.#users--

    if (this.#users === 0) {
      this.#file.close()
    }
  }

  /** The first of the entries from `low` to `high` (exclusive) whose print is not smaller. */
  #firstFrom (print: number, low: number, high: number): number {
    let number = -1
    let page: Buffer = NO_PRINTS

    while (low < high) {
      const middle = low + high >>> 1
      const next = Math.floor(middle / PAGE_PRINTS)

      // once for all steps: a bucket is mostly in one page
      if (next !== number) {
        number = next
        page = this.#printsOf(number)
      }

      if (page.readUInt16LE(middle % PAGE_PRINTS * PRINT_SIZE) < print) {
        low = middle + 1
      } else {
        high = middle
      }
    }

    return low
  }

  #print (entry: number): number {
    return this.#printsOf(Math.floor(entry / PAGE_PRINTS)).readUInt16LE(entry % PAGE_PRINTS * PRINT_SIZE)
  }

  /** A page of prints, valid until the next one is looked up. */
  #printsOf (number: number): Buffer {
    const { prints } = this.#caches
    const key = this.#firstPage + number

    return prints.get(key) ?? prints.load(key, memory => this.#check(
      `print ${number}`, this.#readPrints(number, memory)
    ))
  }

  #readPrints (number: number, memory: Buffer): Buffer {
    const position = SEGMENT_HEADER.byteLength + sizeOfPages(this.entries) + number * PRINT_PAGE_SIZE
    const length = sizeOfPrints(Math.min(PAGE_PRINTS, this.entries - number * PAGE_PRINTS))

    return readPart(this.#file, this.name, { position, length, memory })
  }

  #page (number: number): Buffer {
    const { entries } = this.#caches
    const key = this.#firstPage + number

    return entries.get(key) ?? entries.load(key, memory => this.#check(number, this.#read(number, 1, memory)))
  }

  #read (first: number, count: number, memory?: Buffer): Buffer {
    const entries = Math.min(this.entries, (first + count) * PAGE_ENTRIES) - first * PAGE_ENTRIES
    const position = SEGMENT_HEADER.byteLength + first * PAGE_SIZE

    return readPart(this.#file, this.name, { position, length: sizeOfPages(entries), memory })
  }

  /** The entries of a page, or its prints, if it has its checksum. */
  #check (number: number | string, page: Buffer): Buffer {
    const entries = page.subarray(0, -4)

    if (crc32(entries) !== page.readUInt32LE(entries.byteLength)) {
      throw new DamagedIndexError(this.name, `page ${number} has another checksum`)
    }

    return entries
  }
}

/** The first of the entries from `low` to `high` (exclusive) of a page that is not before a key. */
function search (page: Buffer, key: Uint8Array, low: number, high: number): number {
  const prefix = prefixOf(key, 0)

  while (low < high) {
    const middle = low + high >>> 1
    const at = middle * ENTRY_SIZE
    const difference = prefixOf(page, at) - prefix

    if (difference < 0 || (difference === 0 && compareKey(page, at, key) < 0)) {
      low = middle + 1
    } else {
      high = middle
    }
  }

  return low
}
