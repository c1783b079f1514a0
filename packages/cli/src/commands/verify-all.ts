import all from 'it-all'
import { ipfsz, isDamage } from '@ipfsz/core'
import { openToRead } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { isMissing } from '@ipfsz/node/internal/dag/missing'
import { MultihashSet } from '@ipfsz/node/internal/dag/multihash-set'
import { counter } from '../terminal/progress.ts'
import { printable } from '../terminal/output.ts'
import { reportReads } from '@ipfsz/node/internal/repo/report-reads'
import { storedSize } from '@ipfsz/node/internal/dag/stored-size'
import { reportPinRecords } from '../terminal/report-pin-records.ts'
import { walkDag } from '@ipfsz/node/internal/dag/dag-walk'
import { phraseCell } from '../terminal/row.ts'
import { count, formatSize } from '../terminal/units.ts'
import type { Cell } from '../terminal/row.ts'
import type { Context, Session } from '../context.ts'
import type { PinRecordError } from '../errors.ts'
import type { Pin } from '@ipfsz/node/internal/repo/pin-records'
import type { VerifyCommandOptions } from './verify.ts'
import type { IpfszComponents } from '@ipfsz/core'

/** What a pin is read from. */
type Pinned = Pick<Session, 'files'> & Pick<IpfszComponents, 'blockstore'>

/** What is printed for a good pin. */
interface VerifiedPin {
  size: bigint
  files: number
  blocks: bigint
}

/**
 * Read all that is pinned, and print for each pin whether it is good, incomplete or damaged.
 *
 * @throws {IncompleteError} a pin is not good, or a pin record cannot be read
 */
export async function verifyAll (options: VerifyCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  const { repo, pins: repoPins } = await openToRead(context)
  const damaged: PinRecordError[] = []
  const pins = await all(repoPins.ls(signal, err => { damaged.push(err) }))
  // without links: they would read another file than the pinned one
  const total = output.showsProgress
    ? await output.during('measuring', async () => sizeOf(pins, ipfsz({ blockstore: repo.blockstore }), signal))
    : 0
  const progress = output.progress(count(pins.length, 'pin'), total)
  const blockstore = reportReads(repo.blockstore, counter(progress))
  const session = { blockstore, files: ipfsz({ blockstore }) }
  let failed = 0

  try {
    for (const pin of pins) {
      try {
        const { size, files, blocks } = await verifyPin(pin, session, options, context)
        const parts = [
          count(files, 'file'),
          formatSize(size),
          `${blocks} ${blocks === 1n ? 'block' : 'blocks'}`,
          ...pin.depth === Infinity ? [] : [`to depth ${pin.depth}`]
        ]
        const cell = phraseCell(parts.join(', '), [files, size, blocks])
        print(pin, { ok: true, state: 'good', size, files, blocks }, ['good', cell], context)
      } catch (err) {
        if (signal.aborted || !(err instanceof Error)) {
          throw err
        }

        const state = isMissing(err) ? 'incomplete' : 'damaged'
        // the same advice for missing and damaged blocks
        const message = isMissing(err) || isDamage(err) ? `${err.message}: run ipfsz repair` : explain(err)
        print(pin, { ok: false, state, error: err.name, message: err.message }, [state, printable(message)], context)
        failed++
      }
    }
  } finally {
    progress.end()
  }

  reportPinRecords(damaged, output, { ok: false })

  if (failed > 0) {
    throw new IncompleteError(
      `${failed} of ${pins.length} ${pins.length === 1 ? 'pin is' : 'pins are'} incomplete or damaged: ` +
        'run ipfsz repair to fetch missing blocks, and to list those that no node sends',
      { lost: true }
    )
  }

  if (damaged.length > 0) {
    throw new IncompleteError(
      `${count(damaged.length, 'pin record')} could not be read: see the errors above`
    )
  }
}

async function verifyPin (
  { cid, plainCid, depth }: Pin,
  { files, blockstore }: Pinned,
  { maxWindow }: VerifyCommandOptions,
  { signal }: Context
): Promise<VerifiedPin> {
  if (depth !== Infinity) {
    // Helia pinned only the top levels: the blocks below may be gone
    const found: VerifiedPin = { size: 0n, files: 0, blocks: 0n }

    for await (const { bytes } of walkDag(plainCid, blockstore, { signal, leaves: 'read', depth })) {
      found.size += BigInt(bytes?.byteLength ?? 0)
      found.blocks++
    }

    return found
  }

  return files.verify(cid, { signal, maxWindowSize: maxWindow, seen: new MultihashSet() })
}

/** Of a pin by Helia that keeps only some levels, nobody knows. */
async function sizeOf (pins: readonly Pin[], files: Session['files'], signal: AbortSignal): Promise<number> {
  return storedSize(pins.filter(({ depth }) => depth === Infinity).map(({ cid }) => cid), files, signal)
}

function print ({ cid, name }: Pin, value: Record<string, unknown>, cells: Cell[], { output }: Context): void {
  output.row(
    { cid: cid.toString(), name, ...value },
    [cid.toString(), ...cells, ...name == null ? [] : [printable(name)]]
  )
}
