import * as node from '@ipfsz/node/pins'
import { nodeContext } from '../context.ts'
import { IncompleteError } from '../errors.ts'
import { NEXT_GC } from './rm.ts'
import { printable } from '../terminal/output.ts'
import { reportPinRecords } from '../terminal/report-pin-records.ts'
import { cidCell, phraseCell, sizeCell, sizeHeading, timeCell } from '../terminal/row.ts'
import { count } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { PinRecordError } from '../errors.ts'

export async function addPins (texts: string[], context: Context): Promise<void> {
  await node.addPins(nodeContext(context), texts, {
    onPin ({ cid, isPinned }) {
      const what = isPinned ? 'pinned' : 'needs no pin: the CID contains the whole file'

      context.output.row({ cid: cid.toString() }, [cid.toString(), what])
    }
  })
}

export async function removePins (texts: string[], context: Context): Promise<void> {
  const { output } = context

  await node.removePins(nodeContext(context), texts, {
    onUnpin (cid) {
      output.row(
        { cid: cid.toString() },
        [cid.toString(), phraseCell(`no longer pinned: ${output.typed(NEXT_GC)}`, ['unpinned'])]
      )
    }
  })
}

export async function listPins ({ long }: { long: boolean }, context: Context): Promise<void> {
  const { output } = context
  const damaged: PinRecordError[] = []
  const pins = node.listPins(nodeContext(context), { long, onDamaged: err => { damaged.push(err) } })
  const progress = output.progress('listing pins', undefined, 'pin')

  if (long) {
    output.heading([cidCell('CID'), sizeHeading('ORIGINAL'), sizeHeading('STORED'), timeCell('PINNED'), 'NAME'])
  }

  try {
    for await (const { cid, plainCid, name, size, storedSize, pinnedAt: date } of pins) {
      const pinnedAt = date?.toISOString()

      output.row(
        { cid: cid.toString(), plainCid: plainCid.toString(), name, ...long ? { size, storedSize, pinnedAt } : {} },
        [
          long ? cidCell(cid.toString()) : cid.toString(),
          ...pinnedAt == null ? [] : [sizeCell(size), sizeCell(storedSize), timeCell(pinnedAt)],
          ...name == null ? [] : [printable(name)]
        ]
      )
      progress.add(1)
    }
  } finally {
    progress.end()
  }

  reportPinRecords(damaged, output)

  if (damaged.length > 0) {
    throw new IncompleteError(
      `${count(damaged.length, 'pin record')} could not be read: ` +
        `ipfsz gc deletes nothing until ${damaged.length === 1 ? 'it is' : 'they are'} rewritten or deleted`
    )
  }
}
