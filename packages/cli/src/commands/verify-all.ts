import { openToRead } from '../context.ts'
import { explain, IncompleteError } from '../errors.ts'
import { printable } from '../output.ts'
import { walkDag } from '../dag-walk.ts'
import { toArray } from '../to-array.ts'
import { formatSize } from '../units.ts'
import type { Context, Session } from '../context.ts'
import type { PinRecordError } from '../errors.ts'
import type { Pin } from '../pin-records.ts'
import type { VerifyCommandOptions } from './verify.ts'

/** What is told of a pin that is as it should be. */
interface Found {
  size: bigint
  files: number
  blocks: bigint
}

/** Read everything that is pinned, and say of each pin whether it is as it should be. */
export async function verifyAll (options: VerifyCommandOptions, context: Context): Promise<void> {
  const { output, signal } = context
  const session = await openToRead(context)
  const damaged: PinRecordError[] = []
  const pins = await toArray(session.pins.ls(signal, err => { damaged.push(err) }))
  const progress = output.progress(`${pins.length} ${pins.length === 1 ? 'pin' : 'pins'}`, await totalSize(pins, session, context))
  let done = 0
  let failed = damaged.length

  try {
    for (const pin of pins) {
      const onBytes = (bytes: number): void => { progress.update(done += bytes) }

      try {
        const { size, files, blocks } = await verifyPin(pin, session, options, onBytes, context)
        progress.end()
        print(pin, { ok: true, size, files, blocks }, ['good', `${files} ${files === 1 ? 'file' : 'files'}, ${formatSize(size)}, ${blocks} blocks`], context)
      } catch (err) {
        if (signal.aborted || !(err instanceof Error)) {
          throw err
        }

        progress.end()
        print(pin, { ok: false, error: err.name, message: err.message }, ['damaged', printable(explain(err))], context)
        failed++
      }
    }
  } finally {
    progress.end()
  }

  const all = pins.length + damaged.length
  damaged.forEach(err => { output.error(explain(err), err) })

  if (failed > 0) {
    throw new IncompleteError(`${failed} of ${all} ${all === 1 ? 'pin is' : 'pins are'} damaged: ipfsz repair fetches what others have, and lists what is lost`)
  }
}

async function verifyPin ({ cid, plainCid, depth }: Pin, { files, repo }: Session, { maxWindow }: VerifyCommandOptions, onBytes: (bytes: number) => void, { signal }: Context): Promise<Found> {
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
async function totalSize (pins: readonly Pin[], { files }: Session, { output, signal }: Context): Promise<number> {
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
