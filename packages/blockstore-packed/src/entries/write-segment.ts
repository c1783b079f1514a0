import { crc32 } from 'node:zlib'
import { ENTRY_SIZE } from '../format/entry.ts'
import {
  PAGE_ENTRIES, PAGE_PRINTS, PRINT_PAGE_SIZE, PRINT_SIZE, SEGMENT_HEADER, bitsFor, bucketOf, encodeTables, printOf,
  sizeOfPages
} from './segment-format.ts'
import type { CoveredPack } from './segment-format.ts'
import type { Disk } from '../disk/disk.ts'

/** Bytes that are written at once. */
const WRITE_SIZE = 1024 * 1024
const DIRECTORY = 'index'
/** Entries of a file that is not synced: one that is lost is made again from the packs in less time. */
const MAX_UNSYNCED = 16_384

/** What an index file is written from. */
export interface SegmentContent {
  /** How many entries there are at most: the fanout is as fine as they need. */
  expected: number
  packs: CoveredPack[]
  /** Sorted, with numbers of `packs`. */
  entries: Iterable<Buffer>
}

/** Write an index file. What a loss of power leaves of it is noticed by its checksums. */
export async function writeSegment (
  disk: Disk,
  id: string,
  { expected, packs, entries }: SegmentContent
): Promise<void> {
  const temporary = `${DIRECTORY}/${id}.tmp`
  const file = await disk.open(temporary, 'create')

  try {
    try {
      const bits = bitsFor(expected)
      const fanout = new Uint32Array(2 ** bits)
      const chunk = Buffer.allocUnsafe(Math.min(WRITE_SIZE, sizeOfPages(expected)) + ENTRY_SIZE + 4)
      let position = SEGMENT_HEADER.byteLength
      let length = 0
      let page = 0
      let count = 0
      const endPage = (): void => {
        chunk.writeUInt32LE(crc32(chunk.subarray(page, length)), length)
        length += 4
        page = length
      }
      const prints = new PrintPages()
      await file.write(SEGMENT_HEADER, 0)

      for (const entry of entries) {
        entry.copy(chunk, length)
        length += ENTRY_SIZE
        count++
        fanout[bucketOf(entry, bits)]++
        prints.add(printOf(entry, bits))

        if (count % PAGE_ENTRIES === 0) {
          endPage()

          if (length >= WRITE_SIZE - PAGE_ENTRIES * ENTRY_SIZE) {
            await file.write(chunk.subarray(0, length), position)
            position += length
            length = 0
            page = 0
          }
        }
      }

      if (length > page) {
        endPage()
      }

      for (let i = 1; i < fanout.length; i++) {
        fanout[i] += fanout[i - 1]
      }

      await file.write(chunk.subarray(0, length), position)
      const tables = encodeTables({ packs, entries: count, bits, fanout })
      await file.write(Buffer.concat([...prints.end(), tables]), position + length)

      if (count > MAX_UNSYNCED) {
        await file.sync()
      }
    } finally {
      file.close()
    }

    await disk.rename(temporary, `${DIRECTORY}/${id}.idx`)
  } catch (err) {
    await disk.remove(temporary).catch(() => {})
    throw err
  }
}

/** The prints of a file, which follow its entries: until then they are in memory, 32 MiB of the largest one. */
class PrintPages {
  readonly #full: Buffer[] = []
  #page = Buffer.allocUnsafeSlow(PRINT_PAGE_SIZE)
  #length = 0

  add (print: number): void {
    if (this.#length === PAGE_PRINTS * PRINT_SIZE) {
      this.#full.push(this.#seal())
      this.#page = Buffer.allocUnsafeSlow(PRINT_PAGE_SIZE)
      this.#length = 0
    }

    this.#length = this.#page.writeUInt16LE(print, this.#length)
  }

  /** The pages. The last one may have fewer prints. */
  end (): Buffer[] {
    return this.#length === 0 ? [] : [...this.#full, this.#seal()]
  }

  /** Add the checksum of the last page. */
  #seal (): Buffer {
    this.#page.writeUInt32LE(crc32(this.#page.subarray(0, this.#length)), this.#length)

    return this.#page.subarray(0, this.#length + 4)
  }
}
