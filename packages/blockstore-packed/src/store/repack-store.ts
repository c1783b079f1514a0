import { CustomProgressEvent } from 'progress-events'
import { choosePacks } from './choose-packs.ts'
import { repackOne } from './repack.ts'
import { sealOwnPack } from './seal-own-pack.ts'
import { countBlocks } from './stats.ts'
import type { RepackedPack } from './repack.ts'
import type { StoreParts } from './store-parts.ts'
import type { RepackOptions, RepackResult } from '../contract.ts'

/** Rewrite packs until few bytes are unused. */
export async function repackStore (
  parts: StoreParts,
  { signal, onProgress, maxUnused }: RepackOptions & { maxUnused: number }
): Promise<RepackResult> {
  const { view, queue, appender, packSize } = parts

  // only sealed packs are rewritten, and the own one may have much that is unused
  await queue.turns.run(async () => {
    await queue.flushInTurn()
    await appender.seal()
  })
  // nobody announces that a pack is sealed
  await view.lookAgain()
  const before = await countBlocks(view, signal)
  const chosen = choosePacks(before, maxUnused, packSize)
  const result: RepackResult = { packs: 0, blocks: 0, before: before.size, after: before.size, damaged: [] }

  for (const [i, id] of chosen.entries()) {
    const { blocks, damaged, isRemoved } = await repackInTurn(parts, id, signal)
    result.packs += isRemoved ? 1 : 0
    result.blocks += blocks
    result.damaged.push(...damaged)
    onProgress?.(new CustomProgressEvent('ipfsz:repack:pack', {
      packs: i + 1, total: chosen.length, blocks: result.blocks
    }))
  }

  await queue.turns.run(async () => sealOwnPack(parts))
  await view.refresh()
  result.after = (await countBlocks(view, signal)).size

  return result
}

async function repackInTurn (parts: StoreParts, id: string, signal?: AbortSignal | null): Promise<RepackedPack> {
  const { view, queue, maintenance } = parts

  return queue.turns.run(async () => maintenance.exclusively(async () => {
    // another process was faster, or is still writing it
    return view.packs.get(id)?.isSealed === true
      ? repackOne(parts, id)
      : { blocks: 0, damaged: [], isRemoved: false }
  }, signal))
}
