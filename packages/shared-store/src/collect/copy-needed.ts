import { comparePlaces } from '@ipfsz/blockstore-packed/whole'
import { freeBytes } from '@ipfsz/utils/free-bytes'
import { StoreObjectError } from '../errors.ts'
import { tailOfPack } from '../packs/pack-keys.ts'
import type { PackStorage } from '../packs/pack-storage.ts'
import type { StoreSession } from '../sessions/store-session.ts'
import type { IndexedBlock, Row } from '@ipfsz/blockstore-packed/whole'

/** How many blocks are copied at a time. While they are compressed, one of each waits, with up to 4 MiB before it. */
const COPIES = 3
/** Bytes of blocks of two packs up to which memory keeps what is read of both, 48 MiB. */
const MAX_PREPARED = 48 * 1024 * 1024

/** A block that pins reach, with its place in a pack that is to be deleted, and all others. */
export interface NeededBlock {
  block: IndexedBlock
  row: Row
  elsewhere: Row[]
}

/**
 * Copy blocks into a new pack, but for those that are in a pack that stays.
 *
 * @returns the packs with blocks that cannot be read anywhere: they stay
 */
export async function copyNeeded (
  { storage, session }: { storage: PackStorage, session: StoreSession },
  needed: readonly NeededBlock[],
  signal: AbortSignal
): Promise<Set<string>> {
  const unreadable = new Set<string>()
  // in the order of packs, which takes the fewest requests
  const sorted = needed.toSorted((a, b) => comparePlaces(a.row, b.row))
  const packs = [...Map.groupBy(sorted, ({ row }) => row.pack).values()]
  let prepared = 0

  const copy = async ({ block, elsewhere }: NeededBlock): Promise<void> => {
    const kept = elsewhere.filter(({ pack }) => session.relyOnPack(tailOfPack(pack)))

    if (await readAny(storage, block, kept, signal) == null) {
      const read = await readAny(storage, block, block.rows, signal)

      if (read == null) {
        block.rows.forEach(({ pack }) => unreadable.add(pack))
      } else {
        await storage.copier.put(read.cid, read.bytes, session)
        freeBytes(read.bytes)
      }
    }
  }

  for (const [i, blocks] of packs.entries()) {
    // while one is copied, the next one is read
    const end = sizeOf([...blocks, ...packs[i + 1] ?? []]) <= MAX_PREPARED ? i + 2 : i + 1
    packs.slice(prepared, end).forEach(blocks => { storage.reading.prepare(blocks.map(({ row }) => row)) })
    prepared = Math.max(prepared, end)

    await forEachOf(blocks, copy, signal)
  }

  await storage.copier.sync()

  return unreadable
}

/** Copy some blocks at a time: while one waits for others to be compressed, the next ones are read. */
async function forEachOf (
  blocks: readonly NeededBlock[],
  copy: (block: NeededBlock) => Promise<void>,
  signal: AbortSignal
): Promise<void> {
  const left = blocks.values()
  let isOver = false
  const results = await Promise.allSettled(Array.from({ length: COPIES }, async () => {
    try {
      for (const block of left) {
        signal.throwIfAborted()
        await copy(block)

        if (isOver) {
          return
        }
      }
    } finally {
      // all blocks were taken, or one failed
      isOver = true
    }
  }))

  for (const result of results) {
    if (result.status === 'rejected') {
      throw result.reason
    }
  }
}

function sizeOf (blocks: readonly NeededBlock[]): number {
  return blocks.reduce((size, { row }) => size + row.length, 0)
}

/** Read a block at the first place where it has its hash. */
async function readAny (
  storage: PackStorage,
  { key }: Pick<IndexedBlock, 'key'>,
  rows: readonly Row[],
  signal: AbortSignal
): Promise<Awaited<ReturnType<PackStorage['reading']['readWithCid']>>> {
  for (const row of rows) {
    try {
      const read = await storage.reading.readWithCid({ key, row }, { signal })

      if (read != null) {
        return read
      }
    } catch (err) {
      if (!(err instanceof StoreObjectError)) {
        throw err
      }
    }
  }

  return undefined
}
