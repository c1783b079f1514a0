import { findContent } from '@ipfsz/node/find'
import { nodeContext } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { reportPinRecords } from '../terminal/report-pin-records.ts'
import { cidCell, sizeCell, sizeHeading } from '../terminal/row.ts'
import { withLittleMemory } from './little-memory.ts'
import { listedEntry, shownName } from './ls.ts'
import type { Context } from '../context.ts'
import type { PinRecordError } from '../errors.ts'
import type { FindContentOptions } from '@ipfsz/node/find'

export type FindCommandOptions = Pick<FindContentOptions, 'type'>

export async function find (
  pattern: string,
  targets: readonly string[],
  options: FindCommandOptions,
  context: Context
): Promise<void> {
  const { output } = context
  const unreadable: PinRecordError[] = []

  output.heading([cidCell('CID'), sizeHeading('ORIGINAL'), 'PATH'])

  const found: FindContentOptions = {
    ...options,
    onFound ({ entry, path }) {
      const { directory, shown } = shownName(entry, path)

      output.row({ ...listedEntry(entry, entry.name), path }, [
        cidCell(entry.cid.toString()),
        sizeCell(directory || !(entry.sizeKnown ?? entry.type != null) ? undefined : entry.size),
        shown
      ])
    },
    onFailed (target, error) { output.error(`${target}: ${explain(error)}`, error) },
    onDamaged (error) { unreadable.push(error) }
  }
  const { targets: searched, failed } = await withLittleMemory(async () =>
    findContent(nodeContext(context), pattern, targets, found))

  reportPinRecords(unreadable, output)

  if (failed + unreadable.length > 0) {
    throw new IncompleteError(
      `${failed + unreadable.length} of ${searched + unreadable.length} could not be searched: see the errors above`
    )
  }
}
