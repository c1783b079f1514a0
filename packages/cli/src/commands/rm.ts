import { unmark } from '@ipfsz/core'
import { withRepo } from '../context.ts'
import { NotPinnedError } from '../errors.ts'
import { unlink } from './link.ts'
import { cidsAt, withTargets } from './read-target.ts'
import type { Context, Session } from '../context.ts'
import type { CID } from 'multiformats/cid'

/** Unpin what CIDs, names and paths lead to, and delete its links. The next garbage collection deletes its blocks. */
export async function rm (texts: string[], context: Context): Promise<void> {
  const { signal } = context

  await withTargets(texts, context, async targets =>
    // locked, because garbage collection prunes links
    withRepo(context, { lock: 'add', links: true, existing: true, removes: true }, async session => {
      for (const cid of await cidsAt(targets, session.files, signal)) {
        await removeOne(cid, session, context)
      }
    }))
}

async function removeOne (cid: CID, session: Session, context: Context): Promise<void> {
  const unlinked = await unlink(cid, session, context.signal)
  const unpinned = await unpin(cid, session)

  if (!unpinned && !unlinked && !await session.repo.blockstore.has(unmark(cid))) {
    throw new NotPinnedError(cid)
  }

  context.output.row({ cid: cid.toString(), unpinned, unlinked }, [
    cid.toString(),
    [unpinned ? 'no longer pinned' : 'was not pinned', ...unlinked ? ['no longer linked'] : []].join(
      ', '
    ) + context.output.typed(', the next ipfsz gc deletes its blocks')
  ])
}

async function unpin (cid: CID, { pins }: Session): Promise<boolean> {
  const pinned = await pins.has(cid)

  if (pinned) {
    await pins.rm(cid)
  }

  return pinned
}
