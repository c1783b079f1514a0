import { duringStep } from '../events.ts'
import type { NodeContext } from '../context.ts'
import type { Repo } from '../repo/repo.ts'

/** How much of packs may stay unused: bytes, or a share of all bytes on the disk. */
export type MaxUnused = { bytes: number } | { share: number }

/** What rewriting packs freed. */
export interface FreedPacks {
  /** Bytes that packs have less on the disk. */
  freed: number
  /** Bytes on the disk that stay unused, about. */
  unused: number
}

/** Free the space of deleted blocks. Undefined if the repo has no packs. */
export async function freePacks (
  repo: Repo,
  maxUnused: MaxUnused | undefined,
  context: NodeContext
): Promise<FreedPacks | undefined> {
  const packs = await repo.packs?.()

  if (packs == null) {
    return undefined
  }

  const { signal } = context

  return duringStep(context, { task: 'repack', name: '', unit: 'blocks' }, async progress => {
    const { before, after, unused } = await packs.repack({
      maxUnused: maxUnused != null && 'share' in maxUnused ? maxUnused.share : maxUnused,
      signal,
      onProgress: ({ detail: { blocks } }) => { progress.update(blocks) }
    })

    return { freed: Math.max(0, before - after), unused }
  })
}
