import all from 'it-all'
import { ipfsz } from '@ipfsz/core'
import { openToRead } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { isDamage, isMissing } from '../dag/damage.ts'
import { printable } from '../terminal/output.ts'
import { reportPinRecords } from '../terminal/report-pin-records.ts'
import { walkDag } from '../dag/dag-walk.ts'
import { formatSize } from '../terminal/units.ts'
import type { Context, Session } from '../context.ts'
import type { PinRecordError } from '../errors.ts'
import type { Pin } from '../repo/pin-records.ts'
import type { VerifyCommandOptions } from './verify.ts'

/** What pins are read from. */
type Pinned = Pick<Session, 'repo' | 'files'>

/** What is told of a pin that is as it should be. */
interface Found {
  size: bigint
  files: number
  blocks: bigint
}

/** Read everything that is pinned, and say of each pin whether it is as it should be. */
export async function verifyAll (options: VerifyCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  const { repo, pins: repoPins } = await openToRead(context)
  // without links: what they lead to is another file, and not what is pinned
  const session = { repo, files: ipfsz({ blockstore: repo.blockstore }) }
  const damaged: PinRecordError[] = []
  const pins = await all(repoPins.ls(signal, err => { damaged.push(err) }))
  const progress = output.progress(`${pins.length} ${pins.length === 1 ? 'pin' : 'pins'}`, await totalSize(pins, session, context))
  let done = 0
  let failed = 0

  try {
    for (const pin of pins) {
      const onBytes = (bytes: number): void => { progress.update(done += bytes) }

      try {
        const { size, files, blocks } = await verifyPin(pin, session, options, onBytes, context)
        progress.end()
        print(pin, { ok: true, state: 'good', size, files, blocks }, ['good', `${files} ${files === 1 ? 'file' : 'files'}, ${formatSize(size)}, ${blocks} ${blocks === 1n ? 'block' : 'blocks'}${pin.depth === Infinity ? '' : `, to depth ${pin.depth}`}`], context)
      } catch (err) {
        if (signal.aborted || !(err instanceof Error)) {
          throw err
        }

        progress.end()
        const state = isMissing(err) ? 'incomplete' : 'damaged'
        // both kinds of lost blocks have one remedy
        const told = isMissing(err) || isDamage(err) ? `${err.message}: run ipfsz repair` : explain(err)
        print(pin, { ok: false, state, error: err.name, message: err.message }, [state, printable(told)], context)
        failed++
      }
    }
  } finally {
    progress.end()
  }

  reportPinRecords(damaged, output, { ok: false })

  if (failed > 0) {
    throw new IncompleteError(`${failed} of ${pins.length} ${pins.length === 1 ? 'pin is' : 'pins are'} incomplete or damaged: run ipfsz repair to fetch the lost blocks from other nodes, and to list those that nobody sends`)
  }

  if (damaged.length > 0) {
    throw new IncompleteError(`${damaged.length} ${damaged.length === 1 ? 'pin record' : 'pin records'} could not be read`)
  }
}

async function verifyPin ({ cid, plainCid, depth }: Pin, { files, repo }: Pinned, { maxWindow }: VerifyCommandOptions, onBytes: (bytes: number) => void, { signal }: Context): Promise<Found> {
  if (depth !== Infinity) {
    // Helia has pinned so many levels of it, and what is below may be gone
    const found: Found = { size: 0n, files: 0, blocks: 0n }

    for await (const { bytes } of walkDag(plainCid, repo.blockstore, { signal, leaves: 'read', depth })) {
      const size = bytes?.byteLength ?? 0
      found.size += BigInt(size)
      found.blocks++
      onBytes(size)
    }

    return found
  }

  let ofFile = 0

  return files.verify(cid, {
    signal,
    maxWindowSize: maxWindow,
    onProgress (event) {
      if (event.type === 'ipfsz:cat:frame') {
        ofFile += event.detail.size
        onBytes(event.detail.size)
      } else if (event.type === 'ipfsz:verify:file') {
        // of files without frames nothing was told before
        onBytes(Math.max(0, Number(event.detail.size) - ofFile))
        ofFile = 0
      }
    }
  })
}

/** How many bytes there are to read, as far as what links to them tells. */
async function totalSize (pins: readonly Pin[], { files }: Pinned, { output, signal }: Context): Promise<number> {
  let total = 0

  if (output.stderr.isTTY !== true) {
    // nobody sees it
    return total
  }

  for (const { cid, depth } of pins) {
    if (depth === Infinity) {
      // what is wrong with it is told when it is its turn
      total += await files.stat(cid, { extended: true, offline: true, signal }).then(({ size }) => Number(size), () => 0)
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
