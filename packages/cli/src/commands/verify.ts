import { ipfsz } from '@ipfsz/core'
import { openToRead } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { reportReads } from '../repo/report-reads.ts'
import { storedSize } from '../dag/stored-size.ts'
import { counter } from '../terminal/progress.ts'
import { count, formatSize } from '../terminal/units.ts'
import { parseCid } from '../terminal/cid-path.ts'
import type { Context } from '../context.ts'

export interface VerifyCommandOptions {
  /** The largest window of a stream that ipfsz did not make, in bytes. */
  maxWindow?: number
}

/**
 * Read every block and frame of CIDs, and check them.
 *
 * @throws {IncompleteError} some of several CIDs are not good; the reasons are printed
 */
export async function verify (texts: string[], { maxWindow }: VerifyCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  const cids = texts.map(parseCid)
  const { repo, links, files: unreported } = await openToRead(context)
  let failed = 0

  for (const cid of cids) {
    const size = output.showsProgress ? await storedSize([cid], unreported, signal) : 0
    const progress = output.progress(cid.toString(), size)
    const files = ipfsz({ blockstore: reportReads(repo.blockstore, counter(progress)), datastore: links })

    try {
      const { size, blocks, frames, files: verified, contentCid } = await files.verify(cid, {
        signal,
        maxWindowSize: maxWindow
      }).finally(() => progress.end())

      output.result(
        { cid: cid.toString(), ok: true, size, blocks, frames, files: verified, contentCid: contentCid?.toString() },
        [
          cid.toString(),
          'good',
          [
            count(verified, 'file'),
            formatSize(size),
            count(frames, 'frame'),
            count(blocks, 'block'),
            ...contentCid == null ? [] : [`content ${contentCid}`]
          ].join(', ')
        ].join('\t')
      )
    } catch (err) {
      if (signal.aborted || cids.length === 1 || !(err instanceof Error)) {
        throw err
      }

      output.error(`${cid}: ${explain(err)}`, err)
      failed++
    }
  }

  if (failed > 0) {
    throw new IncompleteError(`${failed} of ${cids.length} CIDs failed verification: see the errors above`)
  }
}
