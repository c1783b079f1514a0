import all from 'it-all'
import { ipfsz, isDamage } from '@ipfsz/core'
import { openToRead } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { isMissing } from '../dag/missing.ts'
import { printable } from '../terminal/output.ts'
import { reportPinRecords } from '../terminal/report-pin-records.ts'
import { walkDag } from '../dag/dag-walk.ts'
import { count, formatSize } from '../terminal/units.ts'
import type { Context, Session } from '../context.ts'
import type { PinRecordError } from '../errors.ts'
import type { Pin } from '../repo/pin-records.ts'
import type { VerifyCommandOptions } from './verify.ts'

/** The parts of a session that a pin is read from. */
type Pinned = Pick<Session, 'repo' | 'files'>

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
  // without links: they would read another file than the pinned one
  const session = { repo, files: ipfsz({ blockstore: repo.blockstore }) }
  const damaged: PinRecordError[] = []
  const pins = await all(repoPins.ls(signal, err => { damaged.push(err) }))
  const progress = output.progress(
    count(pins.length, 'pin'),
    await totalSize(pins, session, context)
  )
  let done = 0
  let failed = 0

  try {
    for (const pin of pins) {
      const onBytes = (bytes: number): void => { progress.update(done += bytes) }

      try {
        const { size, files, blocks } = await verifyPin(pin, session, options, onBytes, context)
        progress.end()
        const parts = [
          count(files, 'file'),
          formatSize(size),
          `${blocks} ${blocks === 1n ? 'block' : 'blocks'}`,
          ...pin.depth === Infinity ? [] : [`to depth ${pin.depth}`]
        ]
        print(pin, { ok: true, state: 'good', size, files, blocks }, ['good', parts.join(', ')], context)
      } catch (err) {
        if (signal.aborted || !(err instanceof Error)) {
          throw err
        }

        progress.end()
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
        'run ipfsz repair to fetch their blocks from other nodes, and to list the blocks that no node sends'
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
  { files, repo }: Pinned,
  { maxWindow }: VerifyCommandOptions,
  onBytes: (bytes: number) => void,
  { signal }: Context
): Promise<VerifiedPin> {
  if (depth !== Infinity) {
    // Helia pinned only the top levels: the blocks below may be gone
    const found: VerifiedPin = { size: 0n, files: 0, blocks: 0n }

    for await (const { bytes } of walkDag(plainCid, repo.blockstore, { signal, leaves: 'read', depth })) {
      const size = bytes?.byteLength ?? 0
      found.size += BigInt(size)
      found.blocks++
      onBytes(size)
    }

    return found
  }

  let reported = 0

  return files.verify(cid, {
    signal,
    maxWindowSize: maxWindow,
    onProgress (event) {
      if (event.type === 'ipfsz:cat:frame') {
        reported += event.detail.size
        onBytes(event.detail.size)
      } else if (event.type === 'ipfsz:verify:file') {
        // a file without frames reports all its bytes at the end
        onBytes(Math.max(0, Number(event.detail.size) - reported))
        reported = 0
      }
    }
  })
}

/** The bytes to read, as far as they are known from the blocks in the repo. */
async function totalSize (pins: readonly Pin[], { files }: Pinned, { output, signal }: Context): Promise<number> {
  let total = 0

  if (output.stderr.isTTY !== true) {
    // without a terminal no progress is shown
    return total
  }

  for (const { cid, depth } of pins) {
    if (depth === Infinity) {
      // ignore errors: verifyPin reports them
      total += await files.stat(cid, { extended: true, offline: true, signal }).then(
        ({ size }) => Number(size),
        () => 0
      )
      signal.throwIfAborted()
    }
  }

  return total
}

function print ({ cid, name }: Pin, value: Record<string, unknown>, cells: string[], { output }: Context): void {
  output.result(
    { cid: cid.toString(), name, ...value },
    [cid.toString(), ...cells, ...name == null ? [] : [printable(name)]].join('\t')
  )
}
