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
  { signal, onProgress, maxUnused }: RepackOptions & Required<Pick<RepackOptions, 'maxUnused'>>
): Promise<RepackResult> {
  const { view, queue, appender, maintenance, packSize } = parts

  // only sealed packs are rewritten: much may be unused of the own one, and of what killed or failed adds left
  await queue.turns.run(async () => {
    await queue.flushInTurn()
    await appender.seal()
    await maintenance.sealDead().catch(() => {})
  })
  // nobody announces that a pack is sealed
  await view.lookAgain()
  const before = await countBlocks(view, signal)
  // packs of deletions alone last: deletions go with the packs that they name
  const chosen = choosePacks(before, maxUnused, packSize)
    .toSorted((a, b) => Number(view.packs.get(a)?.bytes === 0) - Number(view.packs.get(b)?.bytes === 0))
  const result: RepackResult = {
    packs: 0, blocks: 0, before: before.size, after: before.size, unused: before.dead, damaged: []
  }

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

  if (chosen.length > 0) {
    await view.refresh()
    const after = await countBlocks(view, signal)
    result.after = after.size
    result.unused = after.dead
  }

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
