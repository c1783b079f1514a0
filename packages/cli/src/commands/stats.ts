import { stats as countBlocks } from '@ipfsz/blockstore-compressed'
import { openRepoToRead } from '../repo/repo.ts'
import { table } from '../terminal/output.ts'
import { formatSize } from '../terminal/units.ts'
import type { Context } from '../context.ts'

/** Count the blocks of the repo, and the space they take on disk. */
export async function stats ({ output, repo, signal }: Context): Promise<void> {
  const { disk } = await openRepoToRead(repo)
  const { blocks, size, storedSize, ratio, codecs, unreadable } = await countBlocks(disk, { signal })

  output.result({ blocks, size, storedSize, ratio, codecs, unreadable }, table([
    ['Stored as', 'Blocks', 'Size', 'On disk', 'Ratio'],
    ...Object.entries(codecs).map(([name, totals]) => row(name, totals)),
    row('all', { blocks, size, storedSize }),
    ...unreadable === 0 ? [] : [['unreadable', String(unreadable), '', '', '']]
  ]))
}

function row (
  name: string,
  { blocks, size, storedSize }: { blocks: number, size: number, storedSize: number }
): string[] {
  return [
    name,
    String(blocks),
    formatSize(size),
    formatSize(storedSize),
    (size === 0 ? 1 : storedSize / size).toFixed(3)
  ]
}
