import { isIdentity } from '@ipfsz/core'
import * as raw from 'multiformats/codecs/raw'
import { nodeContext, openToRead, withRepo } from '../context.ts'
import { IncompleteError } from '../errors.ts'
import { findDaemon, tellDaemon } from '@ipfsz/node/internal/daemon/tell-daemon'
import { printable } from '../terminal/output.ts'
import { reportPinRecords } from '../terminal/report-pin-records.ts'
import { counter } from '../terminal/progress.ts'
import { cidCell, sizeCell, sizeHeading, timeCell } from '../terminal/row.ts'
import { count } from '../terminal/units.ts'
import { cidsAt, withTargets } from './read-target.ts'
import type { Context, Session } from '../context.ts'
import type { PinRecordError } from '../errors.ts'
import type { Cell } from '../terminal/row.ts'
import type { CID } from 'multiformats/cid'

/** Pin what CIDs, names and paths lead to: garbage collection keeps it. */
export async function addPins (texts: string[], context: Context): Promise<void> {
  const { output, signal } = context

  await withTargets(texts, context, async targets =>
    withRepo(context, { lock: 'add', existing: true }, async ({ files, pins, repo }) => {
      const cids = await cidsAt(targets, files, signal)

      for (const cid of cids) {
        if (isIdentity(cid) && cid.code === raw.code) {
          // as in an imported CAR; besides, the name of its record could be too long
          output.row({ cid: cid.toString() }, [cid.toString(), 'needs no pin: the CID contains the whole file'])
          continue
        }

        const progress = output.progress(`checking ${cid}`, undefined, 'block')
        await pins.add(cid, signal, { onBlocks: counter(progress) }).finally(() => progress.end())
        output.row({ cid: cid.toString() }, [cid.toString(), 'pinned'])
      }

      await tellDaemon(await findDaemon(repo.path), cids, nodeContext(context))
    }))
}

/**
 * Unpin what CIDs, names and paths lead to. The next garbage collection deletes their blocks, unless another pin needs
 * them.
 */
export async function removePins (texts: string[], context: Context): Promise<void> {
  const { output, signal } = context

  await withTargets(texts, context, async targets =>
    // locked: a running collection has already chosen what to keep
    withRepo(context, { lock: 'add', existing: true, removes: true }, async ({ files, pins }) => {
      for (const cid of await cidsAt(targets, files, signal)) {
        await pins.rm(cid)
        output.row(
          { cid: cid.toString() },
          [cid.toString(), output.typed('no longer pinned: the next ipfsz gc deletes its blocks')]
        )
      }
    }))
}

/**
 * List pins: the CID, and the name of the file it was pinned for. A long list also has sizes and dates.
 *
 * @throws {IncompleteError} some pin records cannot be read; the others are listed
 */
export async function listPins ({ long }: { long: boolean }, context: Context): Promise<void> {
  const { output, signal } = context
  const session = await openToRead(context)
  const { pins } = session
  const damaged: PinRecordError[] = []
  const progress = output.progress('listing pins', undefined, 'pin')
  const onPin = counter(progress)

  if (long) {
    output.heading([cidCell('CID'), sizeHeading('ORIGINAL'), sizeHeading('STORED'), timeCell('PINNED'), 'NAME'])
  }

  try {
    for await (const { cid, plainCid, name } of pins.ls(signal, err => { damaged.push(err) })) {
      const { values, cells } = long ? await describePin(cid, session, signal) : { values: {}, cells: [] }

      output.row(
        { cid: cid.toString(), plainCid: plainCid.toString(), name, ...values },
        [long ? cidCell(cid.toString()) : cid.toString(), ...cells, ...name == null ? [] : [printable(name)]]
      )
      onPin(1)
    }
  } finally {
    progress.end()
  }

  reportPinRecords(damaged, output)

  if (damaged.length > 0) {
    throw new IncompleteError(
      `${count(damaged.length, 'pin record')} could not be read: ` +
        `ipfsz gc deletes nothing until ${damaged.length === 1 ? 'it is' : 'they are'} rewritten or deleted`
    )
  }
}

/** The sizes of what is pinned, as far as the repo has the blocks that state them, and the date of the pin. */
async function describePin (
  cid: CID,
  { files, pins }: Pick<Session, 'files' | 'pins'>,
  signal: AbortSignal
): Promise<{ values: Record<string, unknown>, cells: Cell[] }> {
  const { size: found, storedSize, sizeKnown } = await files.stat(cid, { extended: true, offline: true, signal })
    .catch((): { size?: bigint, storedSize?: bigint, sizeKnown?: boolean } => ({}))
  const size = sizeKnown === false ? undefined : found
  signal.throwIfAborted()
  const pinnedAt = (await pins.pinnedAt(cid)).toISOString()

  return {
    values: { size, storedSize, pinnedAt },
    cells: [sizeCell(size), sizeCell(storedSize), timeCell(pinnedAt)]
  }
}
