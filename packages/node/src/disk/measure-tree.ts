import { LruMap } from '@ipfsz/utils/lru-map'
import { CID } from 'multiformats/cid'
import { TreeEntryError } from '../errors.ts'
import type { Progress } from './progress.ts'
import type { SpillStack } from './spill-stack.ts'
import type { WriteLimits, WriteTotals } from './write-limits.ts'
import type { Ipfsz } from '@ipfsz/core'

/** How many measured directories are remembered, so that one that occurs several times is read once. */
const MAX_REMEMBERED = 16_384
/** Maximum number of nested directories. No system has paths for more: on Linux, a path has at most 4,096 bytes. */
const MAX_DEPTH = 4096

export interface MeasureOptions {
  files: Pick<Ipfsz, 'ls'>
  limits: WriteLimits
  /** Holds the directories that are not measured yet. */
  directories: SpillStack<string>
  progress: Progress
  signal: AbortSignal
}

/**
 * Measure how large a tree will be on disk, by the sizes that its blocks claim.
 *
 * A directory that occurs several times counts each time, and the last 16,384 measured directories are not read again:
 * otherwise a few blocks that link to each other would take forever. If a tree has more different directories than
 * that, the limits end the measuring, as everything read counts.
 *
 * @param path - the tree's name in errors
 * @throws {OutputTooLargeError} it is larger than the limits allow
 * @throws {TreeEntryError} its directories are nested too deep
 */
export async function measureTree (
  path: string,
  root: CID,
  { files, limits, directories, progress, signal }: MeasureOptions
): Promise<WriteTotals> {
  const measured = new LruMap<string, WriteTotals>({ maxEntries: MAX_REMEMBERED })
  const totals: WriteTotals = { size: 0, entries: 1 }

  const add = ({ size, entries }: WriteTotals): void => {
    totals.size += size
    totals.entries += entries
    limits.check(totals)
  }

  const measure = async (directory: string, depth: number): Promise<void> => {
    const known = measured.get(directory)

    if (known != null) {
      add(known)
      return
    }

    if (depth > MAX_DEPTH) {
      throw new TreeEntryError(path, `is nested more than ${MAX_DEPTH} directories deep`)
    }

    const before = { ...totals }
    const start = directories.end

    for await (const { cid, type, size, sizeKnown, unixfs } of files.ls(CID.parse(directory), { signal })) {
      const isFile = type != null && type !== 'directory' && unixfs?.type !== 'symlink'

      if (type === 'directory') {
        await directories.push(cid.toString())
      }

      add({ size: isFile && sizeKnown !== false ? Number(size) : 0, entries: 1 })
      progress.update(totals.size)
    }

    for await (const below of directories.from(start)) {
      await measure(below, depth + 1)
    }

    directories.truncate(start)
    measured.set(directory, { size: totals.size - before.size, entries: totals.entries - before.entries })
  }

  limits.check(totals)
  await measure(root.toString(), 1).finally(() => { progress.end() })

  return totals
}
