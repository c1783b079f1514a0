import { removeContent } from '@ipfsz/node/links'
import { nodeContext } from '../context.ts'
import type { Context } from '../context.ts'

/** Unpin what CIDs, names and paths lead to, and delete its links. The next garbage collection deletes its blocks. */
export async function rm (texts: string[], context: Context): Promise<void> {
  const { output } = context

  await removeContent(nodeContext(context), texts, {
    onRemove ({ cid, unpinned, unlinked }) {
      const done = [unpinned ? 'no longer pinned' : 'was not pinned', ...unlinked ? ['no longer linked'] : []]

      output.row(
        { cid: cid.toString(), unpinned, unlinked },
        [cid.toString(), done.join(', ') + output.typed(', the next ipfsz gc deletes its blocks')]
      )
    }
  })
}
