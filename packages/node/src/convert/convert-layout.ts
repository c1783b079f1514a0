import { readReference } from '@ipfsz/shared-store/reference'
import { readBlockSetting, writeBlockSetting } from '../blocks/block-setting.ts'
import { moveBlocks, removeLayout } from '../blocks/move-blocks.ts'
import { placeOf } from '../blocks/places.ts'
import { withRepo } from '../context.ts'
import { lockOutDaemons } from '../daemon/daemon-lock.ts'
import { StoreError } from '../errors.ts'
import { beginStep, duringStep, emit } from '../events.ts'
import { blocksIn } from '../repo/repo.ts'
import type { BlockLayout } from '../blocks/block-setting.ts'
import type { MovedBlocks, MoveOptions } from '../blocks/move-blocks.ts'
import type { NodeContext } from '../context.ts'
import type { StoreReference } from '@ipfsz/shared-store/reference'

/**
 * Move all blocks of the repo into packs, or into files of their own. Waits until nobody adds to the repo; others may
 * read meanwhile. If it is interrupted or killed, run it again: until then the repo works, and new blocks are kept in
 * the new layout. Blocks that are damaged or cannot be verified stay where they are, and are found there.
 *
 * Files are compressed as before; blocks that leave packs are not.
 *
 * A store that the repo shares can be moved into packs, too. No node can use it until that is complete.
 *
 * @throws {StoreError} nodes use the store that the repo shares, or it has packs and is to have files
 * @throws {DaemonRunningError} a daemon runs
 */
export async function convertLayout (
  context: NodeContext,
  layout: BlockLayout,
  { onKept }: Pick<MoveOptions, 'onKept'> = {}
): Promise<MovedBlocks> {
  const { signal } = context
  const reference = await readReference(context.repo)

  if (reference != null) {
    return convertShared(context, reference, layout, onKept)
  }

  return withRepo(context, { lock: 'gc', existing: true }, async ({ repo: { path } }) => {
    const lock = await lockOutDaemons(path)
    const progress = beginStep(context, { task: 'convert', name: '', unit: 'blocks' })

    try {
      const { compression, ...before } = await readBlockSetting(path) ?? { layout: 'files' as const }
      const other = layout === 'files' ? 'packs' : 'files'
      const directory = blocksIn(path)
      const init = { sync: true, compression }

      if (before.layout === layout && before.from == null) {
        return { blocks: 0, size: 0, kept: 0 }
      }

      // from now on blocks are put in the new layout, and read from both
      await writeBlockSetting(path, { layout, from: other, compression })
      const [from, to] = [await placeOf(other, directory, init), await placeOf(layout, directory, init)]

      try {
        const moved = await moveBlocks(from, to, { signal, onKept, onMoved: () => { progress.add(1) } })

        if (moved.kept === 0) {
          await removeLayout(from, directory)
          await writeBlockSetting(path, layout === 'packs' ? { layout } : { layout, compression })
        }

        return moved
      } finally {
        await from.close()
        await to.close()
      }
    } finally {
      progress.end()
      await lock.release()
    }
  })
}

async function convertShared (
  context: NodeContext,
  reference: StoreReference,
  layout: BlockLayout,
  onKept: MoveOptions['onKept']
): Promise<MovedBlocks> {
  if (layout === 'files') {
    throw new StoreError(`The store ${reference.store} can be moved into packs, but not back`)
  }

  const { convertStore } = await import('@ipfsz/shared-store')
  const { signal } = context

  return duringStep(context, { task: 'convert', name: '', unit: 'blocks' }, async progress => {
    const moved = await convertStore(reference, async ({ from, to }) => moveBlocks(
      { ...from, layout: 'files', close: leaveOpen },
      { stored: to, plain: to, layout: 'packs', close: leaveOpen },
      { signal, onKept, onMoved: () => { progress.add(1) } }
    ), {
      signal,
      onWaiting (users) {
        emit(context, 'ipfsz:warning', { message: `waiting for ${users.join(', ')}`, isMinor: false })
      }
    })

    return moved ?? { blocks: 0, size: 0, kept: 0 }
  })
}

async function leaveOpen (): Promise<void> {
  // a store has nothing to close
}
