import { forgetVersions } from '@ipfsz/node/history'
import { nodeContext } from '../context.ts'
import { printable } from '../terminal/output.ts'
import { phraseCell, sizeCell, wordCell } from '../terminal/row.ts'
import { count } from '../terminal/units.ts'
import { minuteCell, NOT_PINNED } from './log.ts'
import type { Context } from '../context.ts'
import type { KeepRules } from '@ipfsz/node/history'

/** Columns of `forget`. */
const FATE_WIDTH = 6

export interface ForgetCommandOptions extends KeepRules {
  dryRun: boolean
}

export async function forget (
  names: readonly string[],
  { dryRun, ...rules }: ForgetCommandOptions,
  context: Context
): Promise<void> {
  const { output } = context
  let forgotten = 0

  for (const name of names) {
    const versions = await forgetVersions(nodeContext(context), name, rules, { dryRun })

    for (const { cid, date, size, isPinned: pinned, keptBy } of versions) {
      const isKept = keptBy.length > 0
      forgotten += isKept ? 0 : 1
      output.row({ name, cid: cid.toString(), date: date.toISOString(), size, pinned, kept: isKept, keptBy, dryRun }, [
        wordCell(isKept ? 'keep' : 'forget', FATE_WIDTH),
        minuteCell(date),
        sizeCell(size),
        cid.toString(),
        isKept ? phraseCell(keptBy.join(', '), [keptBy.join(',')]) : pinned ? '-' : NOT_PINNED,
        printable(name)
      ])
    }
  }

  if (!output.json) {
    output.note(forgotten === 0
      ? 'The rules keep all versions'
      : dryRun
        ? `${count(forgotten, 'version')} would be forgotten: omit --dry-run to do so`
        : `${count(forgotten, 'version')} forgotten: the next ipfsz gc deletes the blocks that nothing else needs`)
  }
}
