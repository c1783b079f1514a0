import { basename } from 'node:path'
import { isMarked, unmark } from '@ipfsz/core'
import { nodeContext, openToRead, withRepo } from '../context.ts'
import { resolvePath } from '../io.ts'
import { Reached } from '@ipfsz/node/internal/dag/reached'
import { DamagedDagError, exitCode, explain, FAILED, IncompleteError, InvalidCarError, UsageError } from '../errors.ts'
import { PendingRoots } from '@ipfsz/node/internal/add/pending-roots'
import { checkFileTarget } from '@ipfsz/node/internal/disk/get-target'
import { MarkedTwins } from '@ipfsz/node/internal/dag/marked-twins'
import { printable } from '../terminal/output.ts'
import { openCarFile, reportPieces } from '@ipfsz/node/internal/car/car-file'
import { blockBatches } from '@ipfsz/node/internal/car/block-batches'
import { openCar } from '@ipfsz/node/internal/car/read-car'
import { counter } from '../terminal/progress.ts'
import { storedSize } from '@ipfsz/node/internal/dag/stored-size'
import { sizeCell, tabbedRow } from '../terminal/row.ts'
import { writeCar } from '@ipfsz/node/internal/car/write-car'
import { writeWhole } from '@ipfsz/node/internal/disk/write-file'
import { cidsAt, withTargets } from './read-target.ts'
import type { CarFile } from '@ipfsz/node/internal/car/car-file'
import type { Context, Session } from '../context.ts'
import type { PendingRoot } from '@ipfsz/node/internal/add/pending-roots'
import type { CheckOptions } from '@ipfsz/node/internal/repo/repo-pins'
import type { CID } from 'multiformats/cid'

/** The path that stands for stdin or stdout. */
const STDIO = '-'
/** How many roots of a CAR may fail. Blocks that failed roots share are read again for each of them. */
const MAX_FAILED = 100

/** Write what CIDs, names and paths lead to into a CAR. Its roots are the plain CIDs. */
export async function exportCar (texts: string[], path: string, context: Context): Promise<void> {
  await withTargets(texts, context, async targets => {
    const session = await openToRead(context)
    const cids = await cidsAt(targets, session.files, context.signal)

    await writeDags(cids, path, session, context)
  })
}

async function writeDags (
  cids: readonly CID[],
  path: string,
  { repo, files }: Session,
  { io, output, signal }: Context
): Promise<void> {
  const bytes = writeCar(cids.map(unmark), repo.blockstore, signal)
  const twins = new MarkedTwins(files, signal)
  const [marked, total] = await output.during('measuring', async () => Promise.all([
    Promise.all(cids.map(async cid => isMarked(cid) ? cid : twins.of(cid))),
    output.showsProgress ? storedSize(cids.map(unmark), files, signal) : 0
  ]))
  let size = 0

  if (path === STDIO) {
    const progress = output.progress('exporting', total)

    try {
      for await (const piece of bytes) {
        size += piece.byteLength
        await output.bytes(piece, signal)
        progress.update(size)
      }
    } finally {
      progress.end()
    }
  } else {
    const target = resolvePath(path, io)
    await checkFileTarget(target)
    await writeWhole(target, counted(), output.progress(basename(target), total))
  }

  for (const [i, cid] of cids.entries()) {
    const plain = unmark(cid)
    const name = path === STDIO ? '-' : printable(path)
    const cells = [plain.toString(), (marked[i] ?? plain).toString(), name, sizeCell(size)]

    if (path === STDIO) {
      // the CAR itself goes to stdout
      output.note(tabbedRow(cells))
    } else {
      output.row({ plainCid: plain.toString(), markedCid: marked[i]?.toString(), path, size }, cells)
    }
  }

  async function * counted (): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      size += piece.byteLength
      yield piece
    }
  }
}

/**
 * Store the blocks of CARs in the repo, and pin their roots.
 *
 * @throws {IncompleteError} some roots are incomplete and were not pinned; the others were
 */
export async function importCar (paths: string[], { sync }: { sync: boolean }, context: Context): Promise<void> {
  if (paths.filter(path => path === STDIO).length > 1) {
    throw new UsageError('- was passed more than once, but stdin can be read only once')
  }

  await withRepo(context, { lock: 'add', sync }, async session => {
    let [failed, roots] = [0, 0]

    for (const path of paths) {
      const imported = await importOne(path, session, context)
      failed += imported.failed
      roots += imported.roots
    }

    if (failed > 0) {
      throw new IncompleteError(`${failed} of ${roots} roots were not pinned: see the errors above`)
    }
  })
}

async function importOne (
  path: string,
  session: Session,
  context: Context
): Promise<{ failed: number, roots: number }> {
  const { io, output, signal } = context
  const name = path === STDIO ? 'stdin' : printable(path)
  const file: CarFile = path === STDIO ? { content: io.stdin } : await openCarFile(resolvePath(path, io), signal)
  const progress = output.progress(name, file.size)
  let roots: CID[]

  try {
    const opened = await openCar(reportPieces(file.content, counter(progress)), name)
    roots = opened.roots

    for await (const blocks of blockBatches(opened.blocks())) {
      for await (const _ of session.repo.blockstore.putMany(blocks, { signal })) {
        // putMany stores each block as this takes its CID
      }
    }
  } finally {
    progress.end()
  }

  return { failed: await pinRoots(roots, name, session, context), roots: roots.length }
}

/**
 * Pin complete roots, and print why the others are not complete.
 *
 * @returns how many were not pinned
 */
async function pinRoots (roots: CID[], name: string, session: Session, context: Context): Promise<number> {
  const { output } = context
  let reached = new Reached()
  let failed = 0

  const fail = (err: unknown): void => {
    if (!(err instanceof Error) || exitCode(err) !== FAILED || roots.length === 1) {
      throw err
    }

    output.error(explain(err), err)

    if (++failed === MAX_FAILED) {
      throw new IncompleteError(`${failed} roots of ${name} were not pinned: the remaining roots were not checked`)
    }
  }

  const pending = new PendingRoots({ pin: true, session, context: nodeContext(context), fail })
  const twins = new MarkedTwins(session.files, context.signal)
  const progress = output.progress(`checking ${name}`, undefined, 'block')
  const onBlocks = counter(progress)

  try {
    for (const root of roots) {
      try {
        pending.push(await checkRoot(root, { reached, onBlocks }, twins, session, context))
      } catch (err) {
        // blocks that a failed walk reached may be missing
        reached = new Reached()
        await pending.flush()
        fail(unusable(name, err))
      }

      await pending.flushIfDue()
    }

    await pending.flush()
  } finally {
    progress.end()
  }

  return failed
}

/**
 * Check that the whole DAG of a root is in the repo, and find its marked CID.
 *
 * @throws {DamagedDagError}
 */
async function checkRoot (
  root: CID,
  options: CheckOptions,
  twins: MarkedTwins,
  { pins }: Session,
  { output, signal }: Context
): Promise<PendingRoot> {
  const plain = unmark(root)

  await pins.check(plain, signal, options)

  const marked = isMarked(root)
    ? root
    : await twins.of(plain).catch((err: unknown) => {
      throw signal.aborted ? signal.reason : new DamagedDagError(root, err)
    })

  return {
    cid: marked ?? plain,
    report () {
      output.row(
        { cid: (marked ?? plain).toString(), plainCid: plain.toString(), markedCid: marked?.toString() },
        [plain.toString(), marked?.toString() ?? 'not compressed']
      )
    }
  }
}

/** Turn an error about the DAG of a root into one about its CAR. */
function unusable (name: string, err: unknown): unknown {
  const reason = err instanceof DamagedDagError ? err.cause : err

  if (!(err instanceof Error && reason instanceof Error)) {
    return err
  }

  switch (reason.name) {
    case 'NotFoundError':
      return new InvalidCarError(`${name} is truncated, or was exported incompletely: ${err.message}`, { cause: err })
    case 'NotUnixFSError':
      return new InvalidCarError(`${name} contains a block that is not UnixFS: ${err.message}`, { cause: err })
    case 'CorruptBlockError':
    case 'DigestLengthError':
    case 'UnknownHashError':
      return new InvalidCarError(`${name} cannot be imported: ${err.message}`, { cause: err })
    default:
      return err
  }
}
