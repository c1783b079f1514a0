import { withReadings } from '../context.ts'
import { diffTrees } from '@ipfsz/node/internal/dag/diff-trees'
import { DifferentError, withExitCode } from '../errors.ts'
import { printable } from '../terminal/output.ts'
import { counter } from '../terminal/progress.ts'
import { sizeCell, wordCell } from '../terminal/row.ts'
import { count } from '../terminal/units.ts'
import { withTargets } from './read-target.ts'
import { sameBytes } from './same-bytes.ts'
import type { Context, Reading } from '../context.ts'
import type { Comparison, DescribedEntry } from '@ipfsz/node/internal/dag/describe-entry'
import type { Difference } from '@ipfsz/node/internal/dag/diff-trees'
import type { CidPath } from '@ipfsz/node/internal/dag/cid-path'
import type { Cell } from '../terminal/row.ts'
import type { CID } from 'multiformats/cid'

/** Columns of the longest word for a change. */
const CHANGE_WIDTH = 8

export interface DiffCommandOptions {
  /** Read files of the same size whose CIDs do not tell whether they have the same bytes. */
  content: boolean
}

/** The exit code when the comparison failed, as that of `diff`: 1 says that there are differences. */
const TROUBLE = 2

/**
 * Print the paths at which two files or directories differ.
 *
 * @param texts - CIDs or names, and paths below them: the old one, and the new one
 * @throws {DifferentError} they differ
 * @throws the errors of reading, with exit code 2
 */
export async function diff (texts: [string, string], options: DiffCommandOptions, context: Context): Promise<void> {
  let found = 0

  try {
    found = await withTargets(texts, context, async ([before, after], access) =>
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
  } catch (err) {
    throw err instanceof Error && !context.signal.aborted ? withExitCode(err, TROUBLE) : err
  }

  if (found > 0) {
    throw new DifferentError(found)
  }
}

type Side = CidPath & { reading: Reading }

/** @returns how many differences there are */
async function compare (before: Side, after: Side, { content }: DiffCommandOptions, context: Context): Promise<number> {
  const { output, signal } = context
  const [from, to] = [before.reading.files, after.reading.files]
  const progress = output.progress('comparing', undefined, 'entry')
  const seen = counter(progress)
  let differences = 0
  let unknown = 0

  const compareContents = async (a: DescribedEntry, b: DescribedEntry): Promise<Comparison> =>
    await sameBytes(from.cat(a.readCid, { signal }), to.cat(b.readCid, { signal }), signal) ? 'same' : 'changed'

  try {
    const roots = await Promise.all([rootOf(before, signal), rootOf(after, signal)])

    for await (
      const difference of diffTrees(...roots, {
        before: from,
        after: to,
        compareContents: content ? compareContents : undefined,
        onEntry () { seen(1) },
        signal
      })
    ) {
      differences++
      unknown += difference.change === 'unknown' ? 1 : 0
      output.row(toJson(difference), toCells(difference))
    }
  } finally {
    progress.end()
  }

  if (unknown > 0) {
    output.note(
      `${count(unknown, 'file')} of equal size may have equal contents, stored in different ways: compare them ` +
        'with --content'
    )
  }

  return differences
}

async function rootOf ({ cid, path, reading: { files } }: Side, signal: AbortSignal): Promise<CID> {
  // without a path, the CIDs may be equal, and nothing need be read
  return path === '' ? cid : (await files.stat(cid, { path, signal })).plainCid
}

function toJson ({ change, path, before, after, sameAs }: Difference): Record<string, unknown> {
  return { change, path, before: entryOf(before), after: entryOf(after), sameAs }
}

function entryOf (entry: DescribedEntry | undefined): Record<string, unknown> | undefined {
  return entry == null
    ? undefined
    : { cid: entry.readCid.toString(), plainCid: entry.cid.toString(), type: entry.type, size: entry.size }
}

function toCells ({ change, path, before, after }: Difference): Cell[] {
  const end = (after ?? before)?.type === 'directory' ? '/' : ''

  return [
    wordCell(change, CHANGE_WIDTH),
    sizeCell(before?.size),
    sizeCell(after?.size),
    `${path === '' ? '.' : printable(path)}${end}`
  ]
}
