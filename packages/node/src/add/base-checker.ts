import { Reached } from '../dag/reached.ts'
import type { RepoPins } from '../repo/repo-pins.ts'
import type { CID } from 'multiformats/cid'

/**
 * Checks the bases of files that are added: whoever pins such a file relies on every block of its base, and adding
 * only reads what the base's content needs. Also marks those blocks to be synced with the next pin.
 *
 * Of an earlier version that is pinned, leaves are not read again: they were there when it was pinned.
 *
 * @param earlier - the root of the earlier version, which the bases are below
 * @returns throws a DamagedDagError for a base that is not whole
 */
export async function baseChecker (
  earlier: CID,
  pins: Pick<RepoPins, 'check' | 'has'>,
  signal: AbortSignal
): Promise<(base: CID) => Promise<void>> {
  const leaves = await pins.has(earlier) ? 'has' : 'read'
  const reached = new Reached()

  return async base => pins.check(base, signal, { leaves, reached })
}
