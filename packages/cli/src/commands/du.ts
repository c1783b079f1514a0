import { measureUsage } from '@ipfsz/node/usage'
import { nodeContext } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { printable } from '../terminal/output.ts'
import { reportPinRecords } from '../terminal/report-pin-records.ts'
import { sizeCell, sizeHeading } from '../terminal/row.ts'
import { count } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { NamedUsage, Usage } from '@ipfsz/node/usage'

export interface DuCommandOptions {
  /** Whether to leave out the entries of directories. */
  summarize?: boolean
}

export async function du (
  texts: readonly string[],
  { summarize = false }: DuCommandOptions,
  context: Context
): Promise<void> {
  const { output } = context

  output.heading([sizeHeading('ORIGINAL'), sizeHeading('STORED'), 'NAME'])

  const { targets, failed, unreadable, bases, total } = await measureUsage(nodeContext(context), texts, {
    entries: !summarize,
    onUsage (usage) { print(usage, context) },
    onFailed (name, error) { output.error(`${name}: ${explain(error)}`, error) }
  })

  if (bases.blocks > 0) {
    print({ ...bases, name: 'bases' }, context)
  }

  if (targets !== 1 || bases.blocks > 0) {
    print({ ...total, name: 'total' }, context)
  }

  if (total.unknownSizes > 0) {
    output.note(
      `the original size of ${count(total.unknownSizes, 'file')}, compressed by another tool, is unknown: the stored ` +
        'size counts instead'
    )
  }

  reportPinRecords(unreadable, output)

  if (failed + unreadable.length > 0) {
    throw new IncompleteError(
      `${failed + unreadable.length} of ${targets + unreadable.length} could not be measured: see the errors above`
    )
  }
}

function print (
  { name, cid, size, storedSize, blocks }: Usage & Pick<NamedUsage, 'name'> & Partial<NamedUsage>,
  { output }: Context
): void {
  output.row(
    { cid: cid?.toString(), name, size, storedSize, blocks },
    [sizeCell(size), sizeCell(storedSize), printable(name)]
  )
}
