import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ipfsz, isDamage } from '@ipfsz/core'
import { openToRead } from '../context.ts'
import { isMissing } from '../dag/missing.ts'
import { claimedSizes } from '../dag/claimed-sizes.ts'
import { SpillStack } from '../disk/spill-stack.ts'
import { temporaryFor } from '../disk/temporary-files.ts'
import { beginStep } from '../events.ts'
import { cidAt, withTargets } from '../read/read-target.ts'
import { reportReads } from '../repo/report-reads.ts'
import { ClaimedBytes } from '../tree/claimed-bytes.ts'
import { smallFilesToVerify, verifyTree } from './verify-tree.ts'
import type { NodeContext, Session } from '../context.ts'
import type { MeasuredOptions } from '../events.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { WaitingDirectory } from '../tree/walk-tree.ts'
import type { VerifyReport } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface VerifyContentOptions extends MeasuredOptions {
  /** The largest window of a stream that another tool compressed, in bytes. By default that of `@ipfsz/core`. */
  maxWindowSize?: number | undefined
}

/** What was found of one of several targets. */
export type Verified =
  | { target: string, cid: CID, report: VerifyReport }
  | { target: string, error: Error }

export interface VerifyAllContentOptions extends VerifyContentOptions {
  /** Called for each target once it is read. */
  onVerified?: ((verified: Verified) => void) | undefined
}

/** How many targets are not good. */
export interface FailedTargets {
  failed: number
  /** Whether blocks of the repo are missing or damaged. */
  lost: boolean
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
  options: VerifyContentOptions = {}
): Promise<VerifyReport> {
  return withTargets(context, [target], async ([found]) =>
    (await verifyOne(found, options, await openToRead(context), context)).report)
}

/**
 * As `verifyContent`, of several targets. One that is not good keeps none of the others from being read.
 *
 * @throws the error of a target that is the only one
 */
export async function verifyAllContent (
  context: NodeContext,
  targets: ReadonlyArray<string | CidPath>,
  { onVerified, ...options }: VerifyAllContentOptions = {}
): Promise<FailedTargets> {
  const failures: FailedTargets = { failed: 0, lost: false }

  await withTargets(context, targets, async targets => {
    const session = await openToRead(context)

    for (const target of targets) {
      try {
        const verified = await verifyOne(target, options, session, context)
        onVerified?.({ target: target.text, ...verified })
      } catch (err) {
        if (context.signal.aborted || targets.length === 1 || !(err instanceof Error)) {
          throw err
        }

        onVerified?.({ target: target.text, error: err })
        failures.failed++
        failures.lost ||= isMissing(err) || isDamage(err)
      }
    }
  })

  return failures
}

async function verifyOne (
  target: CidPath,
  { maxWindowSize, measures = false }: VerifyContentOptions,
  { repo, links, files: unreported }: Session,
  context: NodeContext
): Promise<{ cid: CID, report: VerifyReport }> {
  const { signal } = context
  const cid = await cidAt(target, unreported, signal)
  const name = cid.toString()
  const [total] = measures ? await claimedSizes([cid], repo.blockstore, signal) : []
  const progress = beginStep(context, { task: 'verify', name, unit: 'bytes', total })
  const verified = new ClaimedBytes(progress.add)
  const reading = ipfsz({ blockstore: reportReads(repo.blockstore, verified.read), datastore: links })
  const waiting = new SpillStack<WaitingDirectory>(temporaryFor(join(tmpdir(), 'ipfsz-verify')))
  const small = smallFilesToVerify(repo)

  try {
    const options = { files: unreported, reading, small, waiting, verified, maxWindowSize, signal }

    return { cid, report: await verifyTree(cid, options) }
  } finally {
    progress.end()
    await Promise.all([small.close(), waiting.close()])
  }
}
