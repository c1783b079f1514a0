import { unmark } from '@ipfsz/core'
import { withRepo } from '../context.ts'
import { hasLinks } from '../repo/link-store.ts'
import { NotPinnedError } from '../errors.ts'
import { parseCid } from '../terminal/cid-path.ts'
import type { Context, Session } from '../context.ts'
import type { CID } from 'multiformats/cid'

/** Unpin CIDs and delete their links. The next garbage collection deletes their blocks. */
export async function rm (texts: string[], context: Context): Promise<void> {
  const { output } = context
  const cids = texts.map(parseCid)

  // locked, because garbage collection prunes links
  await withRepo(context, { lock: 'add', links: true, existing: true }, async session => {
    for (const cid of cids) {
      const unlinked = await unlink(cid, session, context)
      const unpinned = await unpin(cid, session)

      if (!unpinned && !unlinked && !await session.repo.blockstore.has(unmark(cid))) {
        throw new NotPinnedError(cid)
      }

      output.result({ cid: cid.toString(), unpinned, unlinked }, [
        cid,
        [unpinned ? 'no longer pinned' : 'was not pinned', ...unlinked ? ['no longer linked'] : []].join(
          ', '
        ) + ', the next ipfsz gc deletes its blocks'
      ].join('\t'))
    }
  })
}

async function unpin (cid: CID, { pins }: Session): Promise<boolean> {
  const pinned = await pins.has(cid)

  if (pinned) {
    await pins.rm(cid)
  }

  return pinned
}

/** Delete the link of a CID. A plain CID may be an original, or the twin of a marked CID. */
async function unlink (cid: CID, { files, repo }: Session, { signal }: Context): Promise<boolean> {
  if (!await hasLinks(repo.path)) {
    return false
  }

  const linked = await files.links.get(cid, { signal }) != null

  if (linked) {
    await files.links.delete(cid, { signal })
  }

  return linked
}
