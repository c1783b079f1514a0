import { SKIPPABLE_MAGIC } from './seek-table.ts'
import type { Region } from './header.ts'
import type { SeekTableEntry } from './seek-table.ts'

/** A frame as the region table lists it. */
export interface RegionTableEntry extends SeekTableEntry {
  region: Region
}

/** Bytes of the region table before its entries, in one entry, and after them (docs/format.md, section 6). */
export const REGION_TABLE = { headerLength: 8, entryLength: 20, footerLength: 0 } as const

/** The parts of a region's offset, which has up to 53 bits. */
const TWO_32 = 2 ** 32

/**
 * The region table of a file with a base: a skippable frame with the lengths, sizes and regions of all frames.
 *
 * @param count - how many entries there are
 */
export function encodeRegionTable (entries: Iterable<RegionTableEntry>, count: number): Uint8Array {
  const bytes = new Uint8Array(REGION_TABLE.headerLength + count * REGION_TABLE.entryLength)
  const view = new DataView(bytes.buffer)
  let at: number = REGION_TABLE.headerLength

  for (const { length, size, region } of entries) {
    view.setUint32(at, length, true)
    view.setUint32(at + 4, size, true)
    view.setUint32(at + 8, region.offset % TWO_32, true)
    view.setUint32(at + 12, Math.floor(region.offset / TWO_32), true)
    view.setUint32(at + 16, region.length, true)
    at += REGION_TABLE.entryLength
  }

  bytes.set(regionTableHead(count))

  return bytes
}

/** What is before the entries. */
export function regionTableHead (count: number): Uint8Array {
  const head = new DataView(new ArrayBuffer(REGION_TABLE.headerLength))

  head.setUint32(0, SKIPPABLE_MAGIC, true)
  head.setUint32(4, count * REGION_TABLE.entryLength, true)

  return new Uint8Array(head.buffer)
}

/** Decode entries. Offsets above 2^53 - 1 are not exact. */
export function decodeRegionEntries (bytes: Uint8Array): RegionTableEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { entryLength } = REGION_TABLE

  return Array.from({ length: bytes.byteLength / entryLength }, (_, i) => {
    const at = i * entryLength

    return {
      length: view.getUint32(at, true),
      size: view.getUint32(at + 4, true),
      region: {
        offset: view.getUint32(at + 12, true) * TWO_32 + view.getUint32(at + 8, true),
        length: view.getUint32(at + 16, true)
      }
    }
  })
}
