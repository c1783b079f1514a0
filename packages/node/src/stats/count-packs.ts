import type { BlockstoreStats, BlockTotals } from '@ipfsz/blockstore-compressed'
import type { PackedBlockstore } from '@ipfsz/blockstore-packed'

/** Packs, and how much of them is used. */
export interface CountedPacks {
  packs: number
  /** Bytes of all packs on the disk. */
  size: number
  /** Bytes of them that blocks need. */
  live: number
  /** Bytes of them that deleted blocks still take. A collection frees most of them. */
  dead: number
}

/** As `BlockstoreStats`. */
export interface PackTotals extends Omit<BlockstoreStats, 'codecs'> {
  codecs: { packs?: BlockTotals }
  packs: CountedPacks
}

/** Count what is in packs, from their index alone. */
export async function countPacks (packs: PackedBlockstore, signal: AbortSignal): Promise<PackTotals> {
  const { packs: all, size: onDisk, blocks, bytes: size, dead } = await packs.stats({ signal })
  const storedSize = onDisk - dead

  return {
    blocks,
    size,
    storedSize,
    ratio: size === 0 ? 1 : storedSize / size,
    codecs: blocks === 0 ? {} : { packs: { blocks, size, storedSize } },
    unreadable: 0,
    packs: { packs: all.length, size: onDisk, live: storedSize, dead }
  }
}
