import type { Progress } from './progress.ts'
import type { WriteLimits, WriteTotals } from './write-limits.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/**
 * What a tree will be once it is written, as far as its blocks tell. A directory that
 * is there several times is counted as often, and looked at once: otherwise a few
 * blocks would take for ever.
 *
 * @throws {OutputTooLargeError} it is more than the limits allow
 */
export async function measureTree (root: CID, files: Pick<Ipfsz, 'ls'>, limits: WriteLimits, progress: Progress, signal: AbortSignal): Promise<WriteTotals> {
  const measured = new Map<string, WriteTotals>()
  let seen = 0

  const measure = async (directory: CID): Promise<WriteTotals> => {
    const known = measured.get(directory.toString())

    if (known != null) {
      return known
    }

    const totals: WriteTotals = { size: 0, entries: 1 }
    const below = new Map<string, { cid: CID, times: number }>()

    for await (const { cid, type, size, sizeKnown, unixfs } of files.ls(directory, { signal })) {
      totals.entries++

      if (type === 'directory') {
        const key = cid.toString()
        below.set(key, { cid, times: (below.get(key)?.times ?? 0) + 1 })
      } else if (type != null && unixfs?.type !== 'symlink' && sizeKnown !== false) {
        totals.size += Number(size)
        progress.update(seen += Number(size))
      }

      limits.check(totals)
    }

    for (const { cid, times } of below.values()) {
      const { size, entries } = await measure(cid)
      totals.size += times * size
      // each has been counted as an entry
      totals.entries += times * (entries - 1)
      limits.check(totals)
    }

    measured.set(directory.toString(), totals)

    return totals
  }

  return measure(root).finally(() => { progress.end() })
}
