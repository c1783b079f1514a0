import * as node from '@ipfsz/node/history'
import { nodeContext } from '../context.ts'
import { printable } from '../terminal/output.ts'
import { phraseCell, sizeCell, wordCell } from '../terminal/row.ts'
import { minuteOf, versionSummary } from '../terminal/version-summary.ts'
import { count } from '../terminal/units.ts'
import type { Cell } from '../terminal/row.ts'
import type { Context } from '../context.ts'

/** Columns of the longest number of versions, `1000 versions`. */
const COUNT_WIDTH = 13
/** Of a version whose blocks the next collection may delete. */
export const NOT_PINNED = phraseCell('not pinned', ['unpinned'])
/** Columns of `2026-01-31 12:00`. */
const MINUTE_WIDTH = 16

export async function log (name: string, context: Context): Promise<void> {
  const { output } = context

  for await (const { cid, date, size, addedSize, isPinned: pinned } of node.listVersions(nodeContext(context), name)) {
    output.result(
      { name, cid: cid.toString(), date: date.toISOString(), size, addedSize, pinned },
      output.stdout.isTTY === true
        ? versionSummary({ cid: cid.toString(), date, size, addedSize, pinned }, output.stdout.columns)
        : output.tabbed([
          date.toISOString(),
          cid.toString(),
          sizeCell(size),
          sizeCell(addedSize),
          ...pinned ? [] : [NOT_PINNED]
        ])
    )
  }
}

/** A time in the format of `versionSummary`; with seconds for scripts. */
export function minuteCell (date: Date): Cell {
  return { text: minuteOf(date), plain: date.toISOString(), width: MINUTE_WIDTH }
}

export async function listHistories (context: Context): Promise<void> {
  const { output } = context
  output.heading([wordCell('LAST ADDED', MINUTE_WIDTH), wordCell('VERSIONS', COUNT_WIDTH), 'NAME'])

  for (const { last: { name, date }, versions } of await node.listHistories(nodeContext(context))) {
    output.row(
      { name, versions, date: date.toISOString() },
      [
        minuteCell(date),
        { text: count(versions, 'version'), plain: String(versions), width: COUNT_WIDTH },
        printable(name)
      ]
    )
  }
}

export async function forgetHistory (name: string, context: Context): Promise<void> {
  const versions = await node.forgetHistory(nodeContext(context), name)

  context.output.result({ name, versions }, `${printable(name)}\t${count(versions, 'version')} forgotten: pins stay`)
}
