import { ipfsz, isDamage } from '@ipfsz/core'
import { openToRead } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { reportReads } from '@ipfsz/node/internal/repo/report-reads'
import { isMissing } from '@ipfsz/node/internal/dag/missing'
import { MultihashSet } from '@ipfsz/node/internal/dag/multihash-set'
import { storedSize } from '@ipfsz/node/internal/dag/stored-size'
import { counter } from '../terminal/progress.ts'
import { phraseCell } from '../terminal/row.ts'
import { count, formatSize } from '../terminal/units.ts'
import { printable } from '../terminal/output.ts'
import { cidAt, withTargets } from './read-target.ts'
import type { Context, Session } from '../context.ts'
import type { CidPath } from '@ipfsz/node/internal/dag/cid-path'

export interface VerifyCommandOptions {
  /** The largest window of a stream that ipfsz did not make, in bytes. */
  maxWindow?: number
}

/**
 * Read every block and frame of what CIDs, names and paths lead to, and check them.
 *
 * @throws {IncompleteError} some of several are not good; the reasons are printed
 */
export async function verify (texts: string[], options: VerifyCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  let failed = 0
  let lost = false

  await withTargets(texts, context, async targets => {
    const session = await openToRead(context)

    for (const target of targets) {
      try {
        await verifyOne(target, options, session, context)
      } catch (err) {
        if (signal.aborted || targets.length === 1 || !(err instanceof Error)) {
          throw err
        }

        output.error(`${printable(target.text)}: ${explain(err)}`, err)
        failed++
        lost ||= isMissing(err) || isDamage(err)
      }
    }
  })

  if (failed > 0) {
    throw new IncompleteError(`${failed} of ${texts.length} CIDs failed verification: see the errors above`, { lost })
  }
}

async function verifyOne (
  target: CidPath,
  { maxWindow: maxWindowSize }: VerifyCommandOptions,
  { repo, links, files: unreported }: Session,
  { output, signal }: Context
): Promise<void> {
  const cid = await cidAt(target, unreported, signal)
  const total = output.showsProgress
    ? await output.during(`measuring ${cid}`, async () => storedSize([cid], unreported, signal))
    : 0
  const progress = output.progress(cid.toString(), total)
  const files = ipfsz({ blockstore: reportReads(repo.blockstore, counter(progress)), datastore: links })
  const { size, blocks, frames, files: verified, contentCid } = await files
    .verify(cid, { signal, maxWindowSize, seen: new MultihashSet() })
    .finally(() => progress.end())

  output.row(
    { cid: cid.toString(), ok: true, size, blocks, frames, files: verified, contentCid: contentCid?.toString() },
    [
      cid.toString(),
      'good',
      phraseCell([
        count(verified, 'file'),
        formatSize(size),
        count(frames, 'frame'),
        count(blocks, 'block'),
        ...contentCid == null ? [] : [`content ${contentCid}`]
      ].join(', '), [verified, size, frames, blocks, contentCid?.toString() ?? '-'])
    ]
  )
}
