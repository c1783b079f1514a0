import { EntryTable } from '../entries/entry-table.ts'
import { PACK_HEADER_SIZE } from '../format/pack-header.ts'
import type { CoveredPack } from '../entries/segment-format.ts'
import type { PackWriter } from '../pack/pack-writer.ts'

/** What is known of a pack. */
export interface PackState {
  id: string
  /** The entries, if no index file has them. */
  table: EntryTable | undefined
  /** Bytes of all blocks. */
  bytes: number
  /** Bytes of the pack, as far as they were looked at. */
  size: number
  /** Up to where the pack is surely on the disk. */
  durable: number
  isSealed: boolean
  /** The writer, while this process writes the pack. */
  writer: PackWriter | undefined
  /** Parts that are damaged: from, to. */
  damage: Array<[from: number, to: number]>
  /** The size with which the end was found to be torn, with no writer that could go on. */
  tornSize: number | undefined
}

export function unknownPack (id: string): PackState {
  return {
    id,
    table: new EntryTable(),
    bytes: 0,
    size: PACK_HEADER_SIZE,
    durable: 0,
    isSealed: false,
    writer: undefined,
    damage: [],
    tornSize: undefined
  }
}

/** A pack whose entries are in an index file. */
export function coveredPack ({ id, covered, bytes }: CoveredPack): PackState {
  return { ...unknownPack(id), table: undefined, bytes, size: covered, durable: covered, isSealed: true }
}
