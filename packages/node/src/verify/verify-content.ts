import { ipfsz } from '@ipfsz/core'
import { openToRead } from '../context.ts'
import { MultihashSet } from '../dag/multihash-set.ts'
import { storedSize } from '../dag/stored-size.ts'
import { beginStep, duringStep } from '../events.ts'
import { cidAt, withTargets } from '../read/read-target.ts'
import { reportReads } from '../repo/report-reads.ts'
import type { NodeContext } from '../context.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { VerifyReport } from '@ipfsz/core'

export interface VerifyContentOptions {
  /** The largest window of a stream that another tool compressed, in bytes. By default that of `@ipfsz/core`. */
  maxWindowSize?: number | undefined
  /**
   * Whether to find out first how many bytes there are, so that the step has a total.
   *
   * @default false
   */
  measures?: boolean | undefined
}

/**
 * Read every block and frame of a file or directory from the repo, and check them. Nothing is fetched.
 *
 * @param target - a CID, a name or the name of a pin, and a path below it
 * @throws the errors of `verify` of `@ipfsz/core`, for the first that is wrong
 */
export async function verifyContent (
  context: NodeContext,
  target: string | CidPath,
  { maxWindowSize, measures = false }: VerifyContentOptions = {}
): Promise<VerifyReport> {
  return withTargets(context, [target], async ([found]) => {
    const { signal } = context
    const { repo, links, files: unreported } = await openToRead(context)
    const cid = await cidAt(found, unreported, signal)
    const name = cid.toString()
    const total = measures
      ? await duringStep(context, { task: 'measure', name }, async () => storedSize([cid], unreported, signal))
      : undefined
    const progress = beginStep(context, { task: 'verify', name, unit: 'bytes', total })
    const files = ipfsz({ blockstore: reportReads(repo.blockstore, progress.add), datastore: links })

    return files.verify(cid, { signal, maxWindowSize, seen: new MultihashSet() }).finally(() => progress.end())
  })
}
