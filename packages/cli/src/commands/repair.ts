import { repairContent } from '@ipfsz/node/repair'
import { nodeContext } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { printable } from '../terminal/output.ts'
import { reportPinRecords } from '../terminal/report-pin-records.ts'
import { phraseCell } from '../terminal/row.ts'
import { count, formatSize } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { Repaired, RepairedRoot } from '@ipfsz/node/repair'

export async function repair (texts: string[], context: Context): Promise<void> {
  const { output } = context
  const { roots, failed, unreadable, lost, online } = await repairContent(nodeContext(context), texts, {
    onRepaired (repaired) { print(repaired, context) },
    onFailed ({ cid, path }, error) {
      output.error(`${cid}${path === '' ? '' : `/${printable(path)}`}: ${explain(error)}`, error)
    }
  })

  // pin records cannot be fetched, so they are only listed
  reportPinRecords(unreadable, output)

  for (const { cid, found, roots } of lost) {
    output.row(
      { block: cid.toString(), state: found, roots: roots.map(({ cid }) => cid.toString()) },
      [
        cid.toString(),
        found,
        phraseCell(`needed by ${roots.map(title).join(', ')}`, roots.map(({ cid }) => cid.toString()))
      ]
    )
  }

  if (lost.length > 0) {
    const blocks = `${lost.length} ${lost.length === 1 ? 'block is' : 'blocks are'} missing or damaged`
    const them = lost.length === 1 ? 'it' : 'them'

    throw new IncompleteError(
      online
        ? `${blocks}, and no peer sent ${them}: specify a peer that has ${them} with --peer, or add the files again`
        : `${blocks}. No peer was asked: run ipfsz daemon, specify a peer with --peer, or add the files again`,
      { lost: true }
    )
  }

  if (failed + unreadable.length > 0) {
    throw new IncompleteError(
      `${failed + unreadable.length} of ${roots + unreadable.length} ${texts.length === 0
        ? 'pins'
        : 'CIDs'} could not be checked: see the errors above`
    )
  }
}

function print ({ root, ...repaired }: Repaired, { output }: Context): void {
  const { state, blocks, fetched, fetchedSize, missing, damaged } = repaired
  const parts = [
    count(blocks, 'block'),
    ...fetched > 0 ? [`${fetched} fetched (${formatSize(fetchedSize)})`] : [],
    ...missing > 0 ? [`${missing} missing`] : [],
    ...damaged > 0 ? [`${damaged} damaged`] : []
  ]

  output.row(
    { cid: root.cid.toString(), name: root.name, ...repaired },
    [
      root.cid.toString(),
      state,
      phraseCell(parts.join(', '), [blocks, fetched, fetchedSize, missing, damaged]),
      ...root.name == null ? [] : [printable(root.name)]
    ]
  )
}

function title ({ cid, name }: RepairedRoot): string {
  return name == null ? cid.toString() : `${cid} (${printable(name)})`
}
