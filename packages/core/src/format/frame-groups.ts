import { SEEK_TABLE } from './seek-table.ts'
import type { FrameGroup } from './header.ts'
import type { SeekTableEntry } from './seek-table.ts'

/** How many frames are in a group (docs/format.md, section 6): the entries of one take 32 KiB in the seek table. */
export const GROUP_FRAMES = 4096

/** How many frames a group of a file with so many frames has. */
export function framesInGroup (frames: number, group: number): number {
  return Math.min(GROUP_FRAMES, frames - group * GROUP_FRAMES)
}

/** Where the entries of a group are in the seek table, from `start` to `end` (exclusive), in bytes. */
export function entriesOfGroup (frames: number, group: number): { start: number, end: number } {
  const start = SEEK_TABLE.headerLength + group * GROUP_FRAMES * SEEK_TABLE.entryLength

  return { start, end: start + framesInGroup(frames, group) * SEEK_TABLE.entryLength }
}

/** Decode entries of a seek table without checksums. */
export function decodeEntries (bytes: Uint8Array): SeekTableEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

  return Array.from({ length: bytes.byteLength / SEEK_TABLE.entryLength }, (_, i) => ({
    length: view.getUint32(i * SEEK_TABLE.entryLength, true),
    size: view.getUint32(i * SEEK_TABLE.entryLength + 4, true)
  }))
}

/** Adds frames up to groups. */
export class FrameGroups {
  readonly groups: FrameGroup[] = []
  #frames = 0

  add ({ length, size }: SeekTableEntry): void {
    if (this.#frames++ % GROUP_FRAMES === 0) {
      this.groups.push({ length, size })
      return
    }

    const group = this.groups[this.groups.length - 1]
    group.length += length
    group.size += size
  }
}
