import { collectGarbage } from '@ipfsz/node/collect'
import { nodeContext } from '../context.ts'
import { count, formatSize } from '../terminal/units.ts'
import { withSmallHeap } from './little-memory.ts'
import type { Context } from '../context.ts'
import type { CollectOptions } from '@ipfsz/node/collect'

export async function gc (options: CollectOptions, context: Context): Promise<void> {
  const { dryRun, removed, removedSize, kept, pins, links, packs } =
    await withSmallHeap(async () => collectGarbage(nodeContext(context), options))

  context.output.sentence(
    { dryRun, removed, removedSize, kept, pins, links, packs },
    `${dryRun ? 'Would delete' : 'Deleted'} ${count(removed, 'unpinned block')} (${formatSize(removedSize)}), ` +
      `kept ${count(kept, 'block')} of ${count(pins, 'pin')}` +
      (links > 0 ? `, deleted ${count(links, 'link')} to deleted files` : '') +
      (packs == null
        ? ''
        : `. Freed ${formatSize(packs.freed)} of disk space` +
          (packs.unused > 0 ? `; deleted blocks still take ${formatSize(packs.unused)}` : ''))
  )
}
