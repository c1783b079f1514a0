import { diffContent } from '@ipfsz/node/diff'
import { nodeContext } from '../context.ts'
import { DifferentError, withExitCode } from '../errors.ts'
import { printable } from '../terminal/output.ts'
import { sizeCell, wordCell } from '../terminal/row.ts'
import { count } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { DescribedEntry, DiffContentOptions, Difference } from '@ipfsz/node/diff'
import type { Cell } from '../terminal/row.ts'

/** Columns of the longest word for a change. */
const CHANGE_WIDTH = 8

export type DiffCommandOptions = Pick<DiffContentOptions, 'content'>

/** The exit code when the comparison failed, as that of `diff`: 1 says that there are differences. */
const TROUBLE = 2

export async function diff (texts: [string, string], options: DiffCommandOptions, context: Context): Promise<void> {
  const { output } = context
  const found = await diffContent(nodeContext(context), texts, {
    ...options,
    onDifference (difference) { output.row(toJson(difference), toCells(difference)) }
  }).catch((err: unknown) => {
    throw err instanceof Error && !context.signal.aborted ? withExitCode(err, TROUBLE) : err
  })

  if (found.unknown > 0) {
    output.note(
      `${count(found.unknown, 'file')} of equal size may have equal contents, stored in different ways: compare them ` +
        'with --content'
    )
  }

  if (found.differences > 0) {
    throw new DifferentError(found.differences)
  }
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
