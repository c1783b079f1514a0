import { basename, dirname } from 'node:path'
import { isMarked, unmark } from '@ipfsz/core'
import { openToRead } from '../context.ts'
import { MarkedTwins } from '../dag/marked-twins.ts'
import { storedSize } from '../dag/stored-size.ts'
import { checkFileTarget, checkNoOverwrite } from '../disk/get-target.ts'
import { sweepTemporaries } from '../disk/temporary-files.ts'
import { writeWhole } from '../disk/write-file.ts'
import { beginStep, duringStep } from '../events.ts'
import { cidsAt, withTargets } from '../read/read-target.ts'
import { writeCar } from './write-car.ts'
import type { NodeContext, Session } from '../context.ts'
import type { MeasuredOptions } from '../events.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { CID } from 'multiformats/cid'

export interface ExportCarOptions extends MeasuredOptions {
  /**
   * Whether to replace a file.
   *
   * @default false
   */
  force?: boolean | undefined
}

export interface CarRoot {
  plainCid: CID
  /** Undefined if it is not compressed. */
  markedCid: CID | undefined
}

export interface ExportedCar {
  roots: CarRoot[]
  size: number
}

/**
 * Write files and directories of the repo into a CAR. Its roots are the plain CIDs. Nothing is fetched.
 *
 * @param targets - CIDs, names or names of pins, and paths below them
 * @param output - the path of the file, which appears when it is complete; or what is called and awaited with the bytes
 * @throws {NotFoundError} a block is missing
 * @throws {UsageError} the path is a device, a pipe or a socket
 * @throws {TreeEntryError} the path is a directory, or something has it already
 */
export async function exportCar (
  context: NodeContext,
  targets: ReadonlyArray<string | CidPath>,
  output: string | ((bytes: Uint8Array) => Promise<void>),
  options: ExportCarOptions = {}
): Promise<ExportedCar> {
  if (typeof output === 'string') {
    await checkFileTarget(output)
    await (options.force === true ? undefined : checkNoOverwrite(output))
  }

  return withTargets(context, targets, async targets => {
    const session = await openToRead(context)
    const cids = await cidsAt(targets, session.files, context.signal)

    return writeDags(cids, output, { ...options, session, context })
  })
}

async function writeDags (
  cids: readonly CID[],
  output: string | ((bytes: Uint8Array) => Promise<void>),
  { measures = false, session, context }: ExportCarOptions & { session: Session, context: NodeContext }
): Promise<ExportedCar> {
  const { repo, files } = session
  const { signal } = context
  const bytes = writeCar(cids.map(unmark), repo.blockstore, signal)
  const twins = new MarkedTwins(files, signal)
  const [marked, total] = await duringStep(context, { task: 'measure', name: '' }, async () => Promise.all([
    Promise.all(cids.map(async cid => isMarked(cid) ? cid : twins.of(cid))),
    measures ? storedSize(cids.map(unmark), files, signal) : undefined
  ]))
  let size = 0

  if (typeof output === 'string') {
    await sweepTemporaries(dirname(output), (context.now ?? Date.now)())
    const step = { task: 'write', name: basename(output), unit: 'bytes', total } as const
    await writeWhole(output, counted(), beginStep(context, step))
  } else {
    await duringStep(context, { task: 'export', name: '', unit: 'bytes', total }, async progress => {
      for await (const piece of counted()) {
        await output(piece)
        progress.update(size)
      }
    })
  }

  return { roots: cids.map((cid, i) => ({ plainCid: unmark(cid), markedCid: marked[i] })), size }

  async function * counted (): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      size += piece.byteLength
      yield piece
    }
  }
}
