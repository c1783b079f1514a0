import { removeContent } from '@ipfsz/node/links'
import { nodeContext } from '../context.ts'
import { phraseCell } from '../terminal/row.ts'
import type { Context } from '../context.ts'

/** What becomes of the blocks of what is not pinned any more. */
export const NEXT_GC = 'the next ipfsz gc deletes the blocks that no other pin needs'

export async function rm (texts: string[], context: Context): Promise<void> {
  const { output } = context

  await removeContent(nodeContext(context), texts, {
    onRemove ({ cid, unpinned, unlinked }) {
      const done = [unpinned ? 'no longer pinned' : 'was not pinned', ...unlinked ? ['no longer linked'] : []]

      output.row(
        { cid: cid.toString(), unpinned, unlinked },
        [
          cid.toString(),
          phraseCell(
            `${done.join(', ')}: ${output.typed(NEXT_GC)}`,
            [unpinned ? 'unpinned' : '-', unlinked ? 'unlinked' : '-']
          )
        ]
      )
    }
  })
}
