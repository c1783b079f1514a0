import { CID } from 'multiformats/cid'
import { TreeEntryError } from '../errors.ts'
import type { Progress } from '../terminal/progress.ts'
import type { SpillStack } from './spill-stack.ts'
import type { WriteLimits, WriteTotals } from './write-limits.ts'
import type { Ipfsz } from '@ipfsz/core'

/** How many directories are remembered, so that one that is there several times is looked at once. */
const MAX_REMEMBERED = 16_384
/** More directories inside each other than any system has paths for: those of Linux have 4,096 bytes. */
const MAX_DEPTH = 4096

export interface MeasureOptions {
  files: Pick<Ipfsz, 'ls'>
  limits: WriteLimits
  /** Where the directories wait whose turn has not come. */
  directories: SpillStack<string>
  progress: Progress
  signal: AbortSignal
}

/**
 * What a tree will be once it is written, as far as its blocks tell. A directory that
 * is there several times is counted as often. Those looked at last are remembered, and
 * not read again: otherwise a few blocks would take for ever. Where a tree has more
 * different ones than that, the limits end it, as all that is read counts.
 *
 * @param path - what the tree is called in errors
 * @throws {OutputTooLargeError} it is more than the limits allow
 * @throws {TreeEntryError} its directories are nested too deep
 */
export async function measureTree (path: string, root: CID, { files, limits, directories, progress, signal }: MeasureOptions): Promise<WriteTotals> {
  const measured = new Map<string, WriteTotals>()
  const totals: WriteTotals = { size: 0, entries: 1 }

  const add = ({ size, entries }: WriteTotals): void => {
    totals.size += size
    totals.entries += entries
    limits.check(totals)
  }

  const measure = async (directory: string, depth: number): Promise<void> => {
    const known = measured.get(directory)

    if (known != null) {
      remember(measured, directory, known)
      add(known)
      return
    }

    if (depth > MAX_DEPTH) {
      throw new TreeEntryError(path, `has directories that are nested more than ${MAX_DEPTH} deep`)
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
    remember(measured, directory, { size: totals.size - before.size, entries: totals.entries - before.entries })
  }

  limits.check(totals)
  await measure(root.toString(), 1).finally(() => { progress.end() })

  return totals
}

/** A Map keeps the order of insertion: the oldest one goes first. */
function remember (measured: Map<string, WriteTotals>, directory: string, totals: WriteTotals): void {
  measured.delete(directory)
  measured.set(directory, totals)

  if (measured.size > MAX_REMEMBERED) {
    const [oldest] = measured.keys()
    measured.delete(oldest)
  }
}
