import { tmpdir } from 'node:os'
import { join } from 'node:path'
import all from 'it-all'
import { ipfsz } from '@ipfsz/core'
import { openToRead } from '../context.ts'
import { claimedSizes } from '../dag/claimed-sizes.ts'
import { walkDag } from '../dag/dag-walk.ts'
import { isMissing } from '../dag/missing.ts'
import { SpillStack } from '../disk/spill-stack.ts'
import { temporaryFor } from '../disk/temporary-files.ts'
import { beginStep } from '../events.ts'
import { reportReads } from '../repo/report-reads.ts'
import { ClaimedBytes } from '../tree/claimed-bytes.ts'
import { smallFilesToVerify, verifyTree } from './verify-tree.ts'
import type { NodeContext } from '../context.ts'
import type { PinRecordError } from '../errors.ts'
import type { Pin } from '../repo/pin-records.ts'
import type { VerifyContentOptions } from './verify-content.ts'
import type { WaitingDirectory } from '../tree/walk-tree.ts'
import type { VerifyTreeOptions } from './verify-tree.ts'
import type { IpfszComponents } from '@ipfsz/core'

/** What a good pin keeps. */
interface GoodPin {
  state: 'good'
  /** Original bytes of the files; of a pin that keeps only some levels, bytes of the blocks. */
  size: bigint
  files: number
  blocks: bigint
}

/** What was found of a pin. `incomplete`: a block is missing. `damaged`: one is wrong, or cannot be read. */
export type VerifiedPin = { pin: Pin } & (GoodPin | { state: 'incomplete' | 'damaged', error: Error })

export interface VerifyPinsOptions extends VerifyContentOptions {
  /** Called for each pin once it is read. */
  onVerified?: ((verified: VerifiedPin) => void) | undefined
}

/** What was found of all pins. */
export interface VerifiedPins {
  pins: number
  /** How many are not good. */
  failed: number
  /** The pins whose records cannot be read. */
  unreadable: PinRecordError[]
}

/** Read all that is pinned, and check every block and frame. Nothing is fetched. */
export async function verifyPins (
  context: NodeContext,
  { maxWindowSize, measures = false, onVerified }: VerifyPinsOptions = {}
): Promise<VerifiedPins> {
  const { signal } = context
  const { repo, pins: repoPins } = await openToRead(context)
  const unreadable: PinRecordError[] = []
  const pins = await all(repoPins.ls(signal, err => { unreadable.push(err) }))
  const claims = measures ? await claimedSizes(pins.map(({ cid }) => cid), repo.blockstore, signal) : []
  const total = measures ? claims.reduce((sum, claim) => sum + claim, 0) : undefined
  const name = pins.length === 1 ? '1 pin' : `${pins.length} pins`
  const progress = beginStep(context, { task: 'verify', name, unit: 'bytes', total })
  const verified = new ClaimedBytes(progress.add)
  // without links: they would read another file than the pinned one
  const files = ipfsz({ blockstore: repo.blockstore })
  const reading = ipfsz({ blockstore: reportReads(repo.blockstore, verified.read) })
  const waiting = new SpillStack<WaitingDirectory>(temporaryFor(join(tmpdir(), 'ipfsz-verify')))
  const small = smallFilesToVerify(repo)
  const options = { files, reading, small, waiting, verified, maxWindowSize, signal }
  let [failed, done] = [0, 0]

  try {
    for (const [i, pin] of pins.entries()) {
      try {
        const good = await verifyPin(pin, repo.blockstore, options)
        onVerified?.({ pin, ...good })
      } catch (err) {
        if (signal.aborted || !(err instanceof Error)) {
          throw err
        }

        onVerified?.({ pin, state: isMissing(err) ? 'incomplete' : 'damaged', error: err })
        failed++
      }

      if (measures) {
        // it failed early, or keeps only some of its blocks
        progress.update(done += claims[i])
      }
    }
  } finally {
    progress.end()
    await Promise.all([small.close(), waiting.close()])
  }

  return { pins: pins.length, failed, unreadable }
}

async function verifyPin (
  { cid, plainCid, depth }: Pin,
  blockstore: IpfszComponents['blockstore'],
  options: VerifyTreeOptions
): Promise<GoodPin> {
  if (depth !== Infinity) {
    // Helia pinned only the top levels: the blocks below may be gone
    const found: GoodPin = { state: 'good', size: 0n, files: 0, blocks: 0n }

    for await (const { bytes } of walkDag(plainCid, blockstore, { signal: options.signal, leaves: 'read', depth })) {
      found.size += BigInt(bytes?.byteLength ?? 0)
      found.blocks++
    }

    return found
  }

  const report = await verifyTree(cid, options)

  return { state: 'good', size: report.size, files: report.files, blocks: report.blocks }
}
