import { MAX_SEEKABLE_FRAMES, SEEK_TABLE } from './seek-table.ts'
import type { FrameGroup, Region, RegionGroup } from './header.ts'
import type { SeekTableEntry } from './seek-table.ts'

/** A frame as a table lists it, with its region if the file has a base. */
export interface FrameEntry extends SeekTableEntry {
  region?: Region | undefined
}

/** Where the entries of a table are. */
export interface TableLayout {
  /** Bytes before the entries, in each of them, and after them. */
  headerLength: number
  entryLength: number
  footerLength: number
  /**
   * Whether there are bytes before and after the entries of each group.
   *
   * @default false: only before and after all of them
   */
  isSplit?: boolean
}

/**
 * How many frames are in a group (docs/format.md, section 6): the entries of one take 80 KiB in the region table, and
 * 32 KiB in others.
 */
export const GROUP_FRAMES = 4096

/** How many frames a group of a file with so many frames has. */
export function framesInGroup (frames: number, group: number): number {
  return Math.min(GROUP_FRAMES, frames - group * GROUP_FRAMES)
}

/** Where the entries of a group are in a table, from `start` to `end` (exclusive), in bytes. */
export function entriesOfGroup (
  frames: number,
  group: number,
  { headerLength, entryLength, footerLength, isSplit = false }: TableLayout
): { start: number, end: number } {
  const between = isSplit ? group * (footerLength + headerLength) : 0
  const start = headerLength + between + group * GROUP_FRAMES * entryLength

  return { start, end: start + framesInGroup(frames, group) * entryLength }
}

/** How many frames a table of so many bytes and groups has. Undefined: it cannot have that length. */
export function framesInTable (
  byteLength: number,
  groups: number,
  { headerLength, entryLength, footerLength, isSplit = false }: TableLayout
): number | undefined {
  const parts = isSplit ? groups : 1
  const frames = (byteLength - parts * (headerLength + footerLength)) / entryLength

  return Number.isInteger(frames) && frames >= 2 && frames <= MAX_SEEKABLE_FRAMES ? frames : undefined
}

/** Decode entries of a seek table without checksums. */
export function decodeEntries (bytes: Uint8Array): SeekTableEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

  return Array.from({ length: bytes.byteLength / SEEK_TABLE.entryLength }, (_, i) => ({
    length: view.getUint32(i * SEEK_TABLE.entryLength, true),
    size: view.getUint32(i * SEEK_TABLE.entryLength + 4, true)
  }))
}

export class FrameGroups {
  readonly groups: FrameGroup[] = []
  /** Regions of each group, empty ones where there is no base. */
  readonly regions: RegionGroup[] = []
  #frames = 0

  add ({ length, size, region }: FrameEntry): void {
    if (this.#frames++ % GROUP_FRAMES === 0) {
      this.groups.push({ length: 0, size: 0 })
      this.regions.push({ size: 0, largest: 0 })
    }

    const group = this.groups[this.groups.length - 1]
    group.length += length
    group.size += size

    const regions = this.regions[this.regions.length - 1]
    regions.size += region?.length ?? 0
    regions.largest = Math.max(regions.largest, region?.length ?? 0)
  }
}
