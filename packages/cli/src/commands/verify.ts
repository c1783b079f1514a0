import { verifyAllContent } from '@ipfsz/node/verify'
import { nodeContext } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { printable } from '../terminal/output.ts'
import { phraseCell } from '../terminal/row.ts'
import { count, formatSize } from '../terminal/units.ts'
import type { Context } from '../context.ts'
import type { Verified } from '@ipfsz/node/verify'

export interface VerifyCommandOptions {
  /** The largest window of a stream that ipfsz did not make, in bytes. */
  maxWindow?: number
}

export async function verify (
  texts: string[],
  { maxWindow: maxWindowSize }: VerifyCommandOptions,
  context: Context
): Promise<void> {
  const { failed, lost } = await verifyAllContent(nodeContext(context), texts, {
    maxWindowSize,
    measures: context.output.showsProgress,
    onVerified (verified) { print(verified, context) }
  })

  if (failed > 0) {
    throw new IncompleteError(`${failed} of ${texts.length} CIDs failed verification: see the errors above`, { lost })
  }
}

function print (verified: Verified, { output }: Context): void {
  if ('error' in verified) {
    output.error(`${printable(verified.target)}: ${explain(verified.error)}`, verified.error)
    return
  }

  const { size, blocks, frames, files, contentCid } = verified.report
  const cid = verified.cid.toString()

  output.row(
    { cid, ok: true, size, blocks, frames, files, contentCid: contentCid?.toString() },
    [
      cid,
      'good',
      phraseCell([
        count(files, 'file'),
        formatSize(size),
        count(frames, 'frame'),
        count(blocks, 'block'),
        ...contentCid == null ? [] : [`content ${contentCid}`]
      ].join(', '), [files, size, frames, blocks, contentCid?.toString() ?? '-'])
    ]
  )
}
