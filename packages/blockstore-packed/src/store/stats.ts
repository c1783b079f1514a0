import { readRow } from '../format/entry.ts'
import { allEntries } from './all-entries.ts'
import { liveRows } from './live-rows.ts'
import type { View } from './view.ts'

/** A pack, and what of it is used. */
export interface PackStats {
  /** The ID of the pack: the file is `packs/ID.car.zst`. */
  id: string
  /** Bytes on the disk. */
  size: number
  /** Blocks that are used. */
  blocks: number
  /** Bytes of these blocks, without compression. */
  bytes: number
  /** The share of the pack that is used, 0 to 1. */
  live: number
  /** Whether no process writes it any more. */
  isSealed: boolean
}

export interface StoreStats {
  packs: PackStats[]
  indexFiles: number
  /** Bytes of all packs on the disk. */
  size: number
  /** Blocks that are used, each once. */
  blocks: number
  /** Bytes of these blocks, without compression. */
  bytes: number
  /** Bytes on the disk that `repack({ maxUnused: 0 })` would free, about. */
  dead: number
}

/** Count what lives, by one pass over the index. */
export async function countBlocks (view: View, signal?: AbortSignal | null): Promise<StoreStats> {
  const counted = new Map(Array.from(view.packs.values(), state => [state.id, { state, blocks: 0, bytes: 0 }]))

  for await (const group of allEntries(view)) {
    signal?.throwIfAborted()
    const [row] = liveRows(group.map(({ entry, packs }) => readRow(entry, 0, packs)), view.packs)
    const pack = row && counted.get(row.pack)

    if (pack != null) {
      pack.blocks++
      pack.bytes += row.length
    }
  }

  const packs = Array.from(counted.values(), ({ state, blocks, bytes }) => ({
    id: state.id,
    size: state.writer?.size ?? state.size,
    blocks,
    bytes,
    live: blocks === 0 ? 0 : Math.max(bytes, 1) / Math.max(bytes, state.writer?.bytes ?? state.bytes, 1),
    isSealed: state.isSealed
  }))
  const sum = (of: (pack: PackStats) => number): number => packs.reduce((sum, pack) => sum + of(pack), 0)

  return {
    packs,
    indexFiles: view.index.segments.length,
    size: sum(({ size }) => size),
    blocks: sum(({ blocks }) => blocks),
    bytes: sum(({ bytes }) => bytes),
    dead: Math.round(sum(({ size, live }) => size * (1 - live)))
  }
}
