import { isMarked, unmark } from '@ipfsz/core'
import { PendingRoots } from '../add/pending-roots.ts'
import { withRepo } from '../context.ts'
import { MarkedTwins } from '../dag/marked-twins.ts'
import { Reached } from '../dag/reached.ts'
import { DamagedDagError, IncompleteError, InvalidCarError } from '../errors.ts'
import { duringStep } from '../events.ts'
import { readInput, statInput } from '../disk/read-input.ts'
import { reportBytes } from '../repo/report-reads.ts'
import { isUsageError } from '@ipfsz/utils/usage-errors'
import { blockBatches } from './block-batches.ts'
import { openCar } from './read-car.ts'
import type { PendingRoot } from '../add/pending-roots.ts'
import type { NodeContext, Session } from '../context.ts'
import type { CheckOptions } from '../repo/repo-pins.ts'
import type { CarRoot } from './export-car.ts'
import type { CID } from 'multiformats/cid'

/** How many roots of a CAR may fail. Blocks that failed roots share are read again for each of them. */
const MAX_FAILED = 100
/** How many bytes of a file are read at once, 64 KiB. */
const READ_SIZE = 64 * 1024

/** A CAR to import: a file, or a stream of bytes. */
export type CarSource = { name: string } & ({ path: string } | { content: AsyncIterable<Uint8Array> })

interface CarFile {
  content: AsyncIterable<Uint8Array>
  size?: number | undefined
}

export interface ImportedRoot extends CarRoot {
  /** The CID that was pinned: the marked one if it is compressed. */
  cid: CID
}

export interface ImportCarOptions {
  /**
   * Whether to wait until it is on disk: a power cut then does not lose it.
   *
   * @default true
   */
  sync?: boolean | undefined
  /** Called for each root once it is pinned. */
  onRoot?: ((root: ImportedRoot) => void) | undefined
  /** Called for each root of a CAR with several that was not pinned. The others are. */
  onFailed?: ((error: Error) => void) | undefined
}

/** How many roots there were, and how many of them were not pinned. */
export interface ImportedCars {
  roots: number
  failed: number
}

/**
 * Store the blocks of CARs in the repo, and pin their roots.
 *
 * @param sources - `name` is for messages
 * @throws {InvalidCarError} one is truncated, or is no CAR
 * @throws {IncompleteError} too many of the roots of a CAR are incomplete: the others were not checked
 */
export async function importCars (
  context: NodeContext,
  sources: readonly CarSource[],
  options: ImportCarOptions = {}
): Promise<ImportedCars> {
  return withRepo(context, { lock: 'add', sync: options.sync ?? true }, async session => {
    const imported: ImportedCars = { roots: 0, failed: 0 }

    for (const source of sources) {
      const { failed, roots } = await importOne(source, options, session, context)
      imported.failed += failed
      imported.roots += roots
    }

    return imported
  })
}

async function importOne (
  source: CarSource,
  options: ImportCarOptions,
  session: Session,
  context: NodeContext
): Promise<ImportedCars> {
  const { signal } = context
  const { name } = source
  const { content, size: total }: CarFile = 'path' in source ? await openCarFile(source.path, signal) : source
  const roots = await duringStep(context, { task: 'add', name, unit: 'bytes', total }, async progress => {
    const opened = await openCar(reportBytes(content, progress.add), name, signal)

    for await (const blocks of blockBatches(opened.blocks())) {
      for await (const _ of session.repo.blockstore.putMany(blocks, { signal })) {
        // putMany stores each block as this takes its CID
      }
    }

    return opened.roots
  })

  return { failed: await pinRoots(roots, name, { ...options, session, context }), roots: roots.length }
}

/** Pin complete roots, and report why the others are not complete. Returns how many were not pinned. */
async function pinRoots (
  roots: CID[],
  name: string,
  { onRoot, onFailed, session, context }: ImportCarOptions & { session: Session, context: NodeContext }
): Promise<number> {
  let reached = new Reached()
  let failed = 0

  const fail = (err: unknown): void => {
    if (!(err instanceof Error) || err.name === 'AbortError' || isUsageError(err) || roots.length === 1) {
      throw err
    }

    onFailed?.(err)

    if (++failed === MAX_FAILED) {
      throw new IncompleteError(`${failed} roots of ${name} were not pinned: the remaining roots were not checked`)
    }
  }

  const pending = new PendingRoots({ pin: true, session, context, fail })
  const twins = new MarkedTwins(session.files, context.signal)

  await duringStep(context, { task: 'check', name, unit: 'blocks' }, async ({ add: onBlocks }) => {
    for (const root of roots) {
      try {
        const found = await checkRoot(root, { onBlocks, reached, twins, signal: context.signal }, session)
        pending.push(pendingRoot(found, onRoot))
      } catch (err) {
        // blocks that a failed walk reached may be missing
        reached = new Reached()
        await pending.flush()
        fail(unusable(name, err))
      }

      await pending.flushIfDue()
    }

    await pending.flush()
  })

  return failed
}

function pendingRoot ({ plainCid, markedCid }: CarRoot, onRoot: ImportCarOptions['onRoot']): PendingRoot {
  const cid = markedCid ?? plainCid

  return { cid, report () { onRoot?.({ cid, plainCid, markedCid }) } }
}

/** Open a CAR on disk. A pipe has no size. */
async function openCarFile (path: string, signal: AbortSignal): Promise<CarFile> {
  const stats = await statInput(path)

  return {
    content: readInput(path, stats, { readSize: READ_SIZE, signal }),
    size: stats.isFile() ? Number(stats.size) : undefined
  }
}

/** Check that the whole DAG of a root is in the repo, and find its marked CID. */
async function checkRoot (
  root: CID,
  { twins, signal, ...options }: CheckOptions & { twins: MarkedTwins, signal: AbortSignal },
  { pins }: Session
): Promise<CarRoot> {
  const plainCid = unmark(root)

  await pins.check(plainCid, signal, options)

  const markedCid = isMarked(root)
    ? root
    : await twins.of(plainCid).catch((err: unknown) => {
      throw signal.aborted ? signal.reason : new DamagedDagError(root, err)
    })

  return { plainCid, markedCid }
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
