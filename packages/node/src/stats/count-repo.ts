import { stats } from '@ipfsz/blockstore-compressed'
import { countPacks } from './count-packs.ts'
import { duringStep } from '../events.ts'
import { findCompressedFiles } from '../repo/compressed-files.ts'
import { RepoPins } from '../repo/repo-pins.ts'
import { openRepoToRead } from '../repo/repo.ts'
import type { NodeContext } from '../context.ts'
import type { CompressedFiles } from '../repo/compressed-files.ts'
import type { CountedPacks } from './count-packs.ts'
import type { BlockstoreStats, BlockTotals } from '@ipfsz/blockstore-compressed'

/** The blocks of a repo, and what is saved by compressing files and blocks. */
export interface RepoStats extends Omit<BlockstoreStats, 'codecs'> {
  /** Totals by codec at rest. Blocks in packs are `packs`. */
  codecs: BlockstoreStats['codecs'] & { packs?: BlockTotals }
  /** The packs, if blocks are in packs. */
  packs?: CountedPacks | undefined
  /** The compressed files that pins reach. Pins whose records cannot be read count as incomplete ones. */
  files: CompressedFiles & {
    /** Stored bytes divided by original ones. */
    ratio: number
  }
  /** Bytes that the blocks would have without any compression. */
  originalSize: number
  /** How many of them are not on disk. */
  saved: number
}

/** Count the blocks of the repo, the space they take on disk, and the space saved by compressing files and blocks. */
export async function countRepo (context: Pick<NodeContext, 'repo' | 'signal' | 'onProgress'>): Promise<RepoStats> {
  const { repo: path, signal } = context
  const repo = await openRepoToRead(path, { signal })
  const counted = await duringStep(context, { task: 'count', name: '', unit: 'blocks' }, async progress =>
    repo.packs == null
      ? stats(repo.storage, { signal, onProgress: ({ detail: { blocks } }) => { progress.update(blocks) } })
      : countPacks(await repo.packs(), signal))
  let unreadablePins = 0
  const pins = new RepoPins(repo).ls(signal, () => { unreadablePins++ })
  const found = await duringStep(context, { task: 'find-compressed', name: '', unit: 'blocks' }, async progress =>
    findCompressedFiles(repo, pins, { signal, onBlocks: progress.add }))
  const { size, storedSize } = found
  const ratio = size === 0 ? 1 : storedSize / size
  // blocks hold files as they are stored
  const originalSize = counted.size + size - storedSize

  return {
    ...counted,
    files: { ...found, ratio, incompletePins: found.incompletePins + unreadablePins },
    originalSize,
    saved: originalSize - counted.storedSize
  }
}
