import { isDamage } from '@ipfsz/core'
import { verifyPins } from '@ipfsz/node/verify'
import { nodeContext } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { printable } from '../terminal/output.ts'
import { reportPinRecords } from '../terminal/report-pin-records.ts'
import { phraseCell } from '../terminal/row.ts'
import { count, formatSize } from '../terminal/units.ts'
import { withSmallHeap } from './little-memory.ts'
import type { Cell } from '../terminal/row.ts'
import type { Context } from '../context.ts'
import type { VerifyCommandOptions } from './verify.ts'
import type { VerifiedPin } from '@ipfsz/node/verify'

export async function verifyAll (
  { maxWindow: maxWindowSize }: VerifyCommandOptions,
  context: Context
): Promise<void> {
  const { output } = context
  const { pins, failed, unreadable } = await withSmallHeap(async () => verifyPins(nodeContext(context), {
    maxWindowSize,
    measures: output.showsProgress,
    onVerified (verified) { printVerified(verified, context) }
  }))

  reportPinRecords(unreadable, output, { ok: false })

  if (failed > 0) {
    throw new IncompleteError(
      `${failed} of ${pins} ${pins === 1 ? 'pin is' : 'pins are'} incomplete or damaged: ` +
        'run ipfsz repair to fetch missing blocks, and to list those that no node sends',
      { lost: true }
    )
  }

  if (unreadable.length > 0) {
    throw new IncompleteError(
      `${count(unreadable.length, 'pin record')} could not be read: see the errors above`
    )
  }
}

function printVerified (verified: VerifiedPin, context: Context): void {
  const { pin, state } = verified

  if (state === 'good') {
    const { size, files, blocks } = verified
    const parts = [
      count(files, 'file'),
      formatSize(size),
      `${blocks} ${blocks === 1n ? 'block' : 'blocks'}`,
      ...pin.depth === Infinity ? [] : [`to depth ${pin.depth}`]
    ]
    const cell = phraseCell(parts.join(', '), [files, size, blocks])
    print(pin, { ok: true, state, size, files, blocks }, [state, cell], context)
    return
  }

  const { error } = verified
  // the same advice for missing and damaged blocks
  const message = state === 'incomplete' || isDamage(error) ? `${error.message}: run ipfsz repair` : explain(error)
  print(pin, { ok: false, state, error: error.name, message: error.message }, [state, printable(message)], context)
}

function print (
  { cid, name }: VerifiedPin['pin'],
  value: Record<string, unknown>,
  cells: Cell[],
  { output }: Context
): void {
  output.row(
    { cid: cid.toString(), name, ...value },
    [cid.toString(), ...cells, ...name == null ? [] : [printable(name)]]
  )
}
