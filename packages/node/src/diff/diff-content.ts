import { withReadings } from '../context.ts'
import { diffTrees } from '../dag/diff-trees.ts'
import { duringStep } from '../events.ts'
import { withTargets } from '../read/read-target.ts'
import { sameBytes } from './same-bytes.ts'
import type { NodeContext, Reading } from '../context.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { Comparison, DescribedEntry } from '../dag/describe-entry.ts'
import type { Difference } from '../dag/diff-trees.ts'
import type { CID } from 'multiformats/cid'

export interface DiffContentOptions {
  /**
   * Whether to read files of the same size whose CIDs do not tell whether they have the same bytes.
   *
   * @default false
   */
  content?: boolean | undefined
  /** Called for each difference, in the order of the paths. */
  onDifference?: ((difference: Difference) => void) | undefined
}

export interface Differences {
  differences: number
  /** How many of them are files of equal size that may have equal bytes, stored in different ways. */
  unknown: number
}

type Side = CidPath & { reading: Reading }

/**
 * Find the paths at which two files or directories differ. What is missing is fetched, as `withReading` does.
 *
 * @param targets - CIDs, names or names of pins, and paths below them: the old one, and the new one
 */
export async function diffContent (
  context: NodeContext,
  targets: readonly [string | CidPath, string | CidPath],
  options: DiffContentOptions = {}
): Promise<Differences> {
  return withTargets(context, targets, async ([before, after], access) =>
    withReadings(
      context,
      async read => compare(
        { ...before, reading: read(before.cid, { path: before.path, scope: 'block' }) },
        { ...after, reading: read(after.cid, { path: after.path, scope: 'block' }) },
        options,
        context
      ),
      { access }
    ))
}

async function compare (
  before: Side,
  after: Side,
  { content = false, onDifference }: DiffContentOptions,
  context: NodeContext
): Promise<Differences> {
  const { signal } = context
  const [from, to] = [before.reading.files, after.reading.files]
  const found: Differences = { differences: 0, unknown: 0 }

  const compareContents = async (a: DescribedEntry, b: DescribedEntry): Promise<Comparison> =>
    await sameBytes(from.cat(a.readCid, { signal }), to.cat(b.readCid, { signal }), signal) ? 'same' : 'changed'

  await duringStep(context, { task: 'compare', name: '', unit: 'entries' }, async progress => {
    const roots = await Promise.all([rootOf(before, signal), rootOf(after, signal)])

    for await (
      const difference of diffTrees(...roots, {
        before: from,
        after: to,
        compareContents: content ? compareContents : undefined,
        onEntry () { progress.add(1) },
        signal
      })
    ) {
      found.differences++
      found.unknown += difference.change === 'unknown' ? 1 : 0
      onDifference?.(difference)
    }
  })

  return found
}

async function rootOf ({ cid, path, reading: { files } }: Side, signal: AbortSignal): Promise<CID> {
  // without a path, the CIDs may be equal, and nothing need be read
  return path === '' ? cid : (await files.stat(cid, { path, signal })).plainCid
}
