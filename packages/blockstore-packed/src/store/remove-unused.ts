import { lockName } from '../pack/pack-names.ts'
import { listByKey } from './list-blocks.ts'
import { readContents } from './read-groups.ts'
import { removePack } from './repack.ts'
import type { StoreParts } from './store-parts.ts'
import type { RemovedPacks } from '../contract.ts'

type IsKept = (multihash: Uint8Array) => boolean

/**
 * Remove packs in which no block is kept. To delete their blocks first would write where each of them is: that takes
 * longer, and a full disk has no space for it.
 */
export async function removeUnused (
  parts: StoreParts,
  isKept: IsKept,
  signal?: AbortSignal | null
): Promise<RemovedPacks> {
  const { queue, maintenance } = parts

  return queue.turns.run(async () => {
    await queue.flushInTurn()

    return maintenance.exclusively(async () => removeInTurn(parts, isKept, signal), signal)
  })
}

async function removeInTurn (
  parts: StoreParts,
  isKept: IsKept,
  signal: AbortSignal | null | undefined
): Promise<RemovedPacks> {
  const { disk, view, reader } = parts
  const unused = new Map(Array.from(view.packs.values()).filter(({ writer }) => writer == null).map(
    ({ id, size }) => [id, { size, blocks: 0 }]))
  const removed: RemovedPacks = { packs: 0, blocks: 0, bytes: 0 }

  for await (const { cid, row } of listByKey(view, reader)) {
    signal?.throwIfAborted()
    const pack = unused.get(row.pack)

    if (pack != null && isKept(cid.multihash.bytes)) {
      unused.delete(row.pack)
    } else if (pack != null) {
      pack.blocks++
    }
  }

  if (unused.size > 0) {
    // before and after: see refreshToWrite
    await view.announce()
  }

  for (const [id, { size, blocks }] of unused) {
    signal?.throwIfAborted()

    const isFree = !await disk.isLocked(lockName(id)) && await holdsNothing(parts, id, isKept)

    if (isFree && await removePack(disk, view, id)) {
      removed.packs++
      removed.blocks += blocks
      removed.bytes += size
    }
  }

  return removed
}

/** Whether nothing is lost with a pack, not even the second place of a block, or a deletion of one in another pack. */
async function holdsNothing ({ files, view }: StoreParts, id: string, isKept: IsKept): Promise<boolean> {
  const { blocks, deletions, damage } = await readContents(files, id)

  if (damage.length > 0 || deletions.some(({ pack }) => pack !== id && view.packs.has(pack))) {
    return false
  }

  for (const { cid } of blocks) {
    if (isKept(cid.multihash.bytes)) {
      return false
    }
  }

  return true
}
