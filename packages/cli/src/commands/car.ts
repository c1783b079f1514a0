import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { isMarked, unmark } from '@ipfsz/core'
import { openToRead, parseCid, resolvePath, withRepo } from '../context.ts'
import { Reached } from '../dag/dag-walk.ts'
import { DamagedDagError, exitCode, explain, FAILED, IncompleteError, InvalidCarError, UsageError } from '../errors.ts'
import { UntoldRoots } from '../make-safe.ts'
import { markedTwin } from '../dag/marked-twins.ts'
import { printable } from '../terminal/output.ts'
import { openCar } from '../car/read-car.ts'
import { formatSize } from '../terminal/units.ts'
import { writeCar } from '../car/write-car.ts'
import { writeWhole } from '../disk/write-file.ts'
import type { Context, Session } from '../context.ts'
import type { Untold } from '../make-safe.ts'
import type { CID } from 'multiformats/cid'

/** The path that stands for stdin or stdout. */
const STDIO = '-'
/** The most roots of a CAR that may fail: whatever they share is read anew for each. */
const MAX_FAILED = 100

/** Write all that CIDs name into a CAR, whose roots are the plain CIDs. */
export async function exportCar (texts: string[], path: string, context: Context): Promise<void> {
  const { io, output, signal } = context
  const cids = texts.map(parseCid)
  const { repo, files } = await openToRead(context)
  const bytes = writeCar(cids.map(unmark), repo.blockstore, signal)
  const marked = await Promise.all(cids.map(async cid => isMarked(cid) ? cid : markedTwin(cid, files, signal)))
  let size = 0

  if (path === STDIO) {
    for await (const piece of bytes) {
      size += piece.byteLength
      await output.bytes(piece, signal)
    }
  } else {
    const target = resolvePath(path, io)
    await writeWhole(target, counted(), output.progress(basename(target)))
  }

  for (const [i, cid] of cids.entries()) {
    const plain = unmark(cid)
    const line = `${plain}\t${marked[i] ?? plain}\t${path === STDIO ? '-' : printable(path)}\t${formatSize(size)}`

    if (path === STDIO) {
      // stdout has the CAR
      output.note(line)
    } else {
      output.result({ plainCid: plain.toString(), markedCid: marked[i]?.toString(), path, size }, line)
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
 * Put what is in CARs into the repo, and pin their roots.
 *
 * @throws {IncompleteError} some roots are not complete, and were not pinned; the others were
 */
export async function importCar (paths: string[], { sync }: { sync: boolean }, context: Context): Promise<void> {
  if (paths.filter(path => path === STDIO).length > 1) {
    throw new UsageError('- is given more than once: stdin can be read only once')
  }

  await withRepo(context, { lock: 'add', sync }, async session => {
    let [failed, roots] = [0, 0]

    for (const path of paths) {
      const imported = await importOne(path, session, context)
      failed += imported.failed
      roots += imported.roots
    }

    if (failed > 0) {
      throw new IncompleteError(`${failed} of ${roots} roots were not pinned`)
    }
  })
}

async function importOne (path: string, session: Session, context: Context): Promise<{ failed: number, roots: number }> {
  const { io, signal } = context
  const name = path === STDIO ? 'stdin' : printable(path)
  const opened = await openCar(path === STDIO ? io.stdin : createReadStream(resolvePath(path, io), { signal }), name)

  for await (const _ of session.repo.blockstore.putMany(opened.blocks(), { signal })) {
    // it is written as it is read
  }

  return { failed: await pinRoots(opened.roots, name, session, context), roots: opened.roots.length }
}

/** Pin each root that is complete, and say of the others why they are not. Returns how many those are. */
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
      throw new IncompleteError(`${failed} roots of ${name} were not pinned, and those behind them were not looked at`)
    }
  }

  const untold = new UntoldRoots({ pin: true, session, context, fail })

  for (const root of roots) {
    try {
      untold.push(await checkRoot(root, reached, session, context))
    } catch (err) {
      // what a walk that failed has reached need not be there
      reached = new Reached()
      await untold.print()
      fail(unusable(name, err))
    }

    await untold.printInTime()
  }

  await untold.print()

  return failed
}

/**
 * See that all below a root is there, and what it is.
 *
 * @throws {DamagedDagError}
 */
async function checkRoot (root: CID, reached: Reached, { pins, files }: Session, { output, signal }: Context): Promise<Untold> {
  const plain = unmark(root)

  await pins.check(plain, signal, reached)

  const marked = isMarked(root)
    ? root
    : await markedTwin(plain, files, signal).catch((err: unknown) => { throw signal.aborted ? signal.reason : new DamagedDagError(root, err) })

  return {
    cid: marked ?? plain,
    print () {
      output.result({ cid: (marked ?? plain).toString(), plainCid: plain.toString(), markedCid: marked?.toString() }, `${plain}\t${marked ?? 'not compressed'}`)
    }
  }
}

/** What is wrong with a CAR, where what its root leads to is not as it should be. */
function unusable (name: string, err: unknown): unknown {
  const reason = err instanceof DamagedDagError ? err.cause : err

  if (!(err instanceof Error && reason instanceof Error)) {
    return err
  }

  switch (reason.name) {
    case 'MissingBlockError':
    case 'NotFoundError':
      return new InvalidCarError(`${name} is cut short, or never had all blocks: ${err.message}`, { cause: err })
    case 'NotUnixFSError':
    case 'UnknownBlockError':
      return new InvalidCarError(`${name} holds something that is not UnixFS: ${err.message}`, { cause: err })
    case 'CorruptBlockError':
    case 'DigestLengthError':
    case 'UnknownHashError':
      return new InvalidCarError(`${name} cannot be imported: ${err.message}`, { cause: err })
    default:
      return err
  }
}
