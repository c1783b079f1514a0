import { basename, dirname } from 'node:path'
import { claimedSize, fetchDag, LEAST_FROM_BOTH_ENDS } from '../dag/fetch-dag.ts'
import { checkFileTarget, checkNoOverwrite, checkNothingThere, getTarget } from '../disk/get-target.ts'
import { holdToWrite } from '../disk/held-directory.ts'
import { metadataOf } from '../disk/restore-metadata.ts'
import { SpillStack } from '../disk/spill-stack.ts'
import { withShownPath } from '../disk/target-errors.ts'
import { sweepTemporaries, temporaryFor } from '../disk/temporary-files.ts'
import { writeWhole } from '../disk/write-file.ts'
import { checkRoom, likelyTotals, WriteLimits } from '../disk/write-limits.ts'
import { checkSymlink, linkOf, writeSymlink } from '../disk/write-symlink.ts'
import { beginStep, duringStep } from '../events.ts'
import { directoryCid, withTarget } from '../read/read-target.ts'
import { measureTree } from '../tree/measure-tree.ts'
import { SmallFiles } from '../tree/small-files.ts'
import { writeTree } from '../tree/write-tree.ts'
import type { NodeContext, Reading } from '../context.ts'
import type { Progress } from '../disk/progress.ts'
import type { WriteTotals } from '../disk/write-limits.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { TreeCounts } from '../tree/tree-writer.ts'
import type { WaitingDirectory } from '../tree/walk-tree.ts'
import type { StepProgress, Task } from '../events.ts'
import type { WorkingDirectory } from '../paths.ts'
import type { CatEvents, DirectoryEntry, FileHandle, Stats } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface GetContentOptions {
  /**
   * The path to write. If it ends in a slash, `.` or `..`, it is a directory to write into.
   *
   * @default the last name of what is read, or its CID, in the working directory
   */
  output?: string | undefined
  /**
   * Where relative paths start from.
   *
   * @default the working directory of the process
   */
  place?: WorkingDirectory | undefined
  /**
   * Whether to replace a file. Directories are never replaced.
   *
   * @default false
   */
  force?: boolean | undefined
  /**
   * Whether to write symlinks that point outside of what is written.
   *
   * @default false
   */
  allowSymlinks?: boolean | undefined
  /**
   * The most bytes to write.
   *
   * @default 4398046511104
   */
  maxSize?: number | undefined
  /**
   * The most files, directories and symlinks to write.
   *
   * @default 100000000
   */
  maxFiles?: number | undefined
  /** The largest window of a stream that another tool compressed, in bytes. By default that of `@ipfsz/core`. */
  maxWindowSize?: number | undefined
}

export interface Written {
  cid: CID
  /** The absolute path. */
  path: string
  type: 'file' | 'directory' | 'symlink'
  /** Bytes of files. */
  size: number
  /** Of a directory: what was written, with the directory itself. */
  counts?: Omit<TreeCounts, 'size'> | undefined
}

/** What is needed to write anything. */
interface Work extends Pick<GetContentOptions, 'force' | 'allowSymlinks' | 'maxWindowSize'> {
  destination: string
  limits: WriteLimits
  reading: Reading
  context: NodeContext
}

/**
 * Write a file or a directory to disk. It appears under its name only when it is complete.
 *
 * @param target - a CID, a name or the name of a pin, and a path below it
 * @throws {TreeEntryError} something has the path, or an entry cannot be written safely
 * @throws {OutputTooLargeError} it is larger than the limits allow
 * @throws {NoRoomError} the disk has too little room
 * @throws {UsageError} the path is a device, a pipe or a socket
 */
export async function getContent (
  context: NodeContext,
  target: string | CidPath,
  options: GetContentOptions = {}
): Promise<Written> {
  return withTarget(context, target, { scope: 'all' }, async (source, reading) =>
    write(source, reading, options, context))
}

async function write (
  source: CidPath,
  reading: Reading,
  options: GetContentOptions,
  context: NodeContext
): Promise<Written> {
  const { files } = reading
  const { signal, now = Date.now } = context
  const { cid, path } = source
  const destination = await getTarget(options.output, source, options.place ?? PROCESS)
  const onProgress = context.onProgress as ((event: CatEvents) => void) | undefined
  let unchecked: CatEvents | undefined
  const file = await files.open(cid, {
    path,
    signal,
    onProgress (event) {
      if (event.type === 'ipfsz:link:unchecked') {
        unchecked = event
      }
    }
  })
  const { stats, stats: { type, unixfs, mtime, markedCid, plainCid } } = file
  const limits = new WriteLimits(destination, options)
  const work: Work = { ...options, destination, limits, reading, context }

  await sweepTemporaries(dirname(destination), now())

  if (unchecked != null && type !== 'file') {
    // only here: for a file, reading it below checks the link or reports it
    onProgress?.(unchecked)
  }

  if (type === 'directory') {
    file.close()

    return writeDirectory({ cid: markedCid ?? directoryCid(cid, plainCid), unixfs, mtime }, work)
  }

  if (unixfs?.type === 'symlink') {
    return writeLink(stats, work)
  }

  return writeFile(path === '' ? cid : markedCid ?? plainCid, file, work)
}

const PROCESS: WorkingDirectory = { get cwd () { return process.cwd() } }

async function writeFile (cid: CID, file: FileHandle, work: Work): Promise<Written> {
  const { size: all, sizeKnown, unixfs, mtime } = file.stats
  const { destination, limits, maxWindowSize, reading: { repo, files }, context } = work
  const { signal } = context
  const known = sizeKnown === false ? undefined : Number(all)

  await checkFile(work, known)
  repo.together?.expect(await claimedSize(cid, { blocks: files.blocks(cid), signal }))

  const onProgress = context.onProgress as ((event: CatEvents) => void) | undefined
  const content = limits.limit(file.read({ signal, maxWindowSize, onProgress, transient: true }))
  const size = await writeWhole(destination, content, step(work, 'write', known), { unixfs, mtime })

  return { cid, path: destination, type: 'file', size }
}

async function writeLink (stats: Stats, { destination, allowSymlinks = false }: Work): Promise<Written> {
  const link = linkOf(destination, stats.unixfs)
  await checkNothingThere(destination, 'a symlink')

  if (!allowSymlinks) {
    // names beside it may be symlinks, so `..` after one of them may lead anywhere
    await checkSymlink(destination, link, [], async () => false)
  }

  const parent = await holdToWrite(dirname(destination))

  try {
    await writeSymlink(`${parent.path}/${basename(destination)}`, link, metadataOf(stats))
  } catch (err) {
    throw withShownPath(err, parent)
  } finally {
    await parent.close()
  }

  return { cid: stats.plainCid, path: destination, type: 'symlink', size: 0 }
}

/** Refuse to write a file before anything of it is read. */
async function checkFile ({ destination, force = false, limits }: Work, known = 0): Promise<void> {
  const totals = { size: known, entries: 1 }

  await checkFileTarget(destination)

  if (!force) {
    await checkNoOverwrite(destination)
  }

  limits.check(totals)
  await checkRoom(destination, totals)
}

async function writeDirectory (
  root: Pick<DirectoryEntry, 'cid' | 'unixfs' | 'mtime'>,
  work: Work
): Promise<Written> {
  const { destination, limits, allowSymlinks = false, reading: { repo, files, online }, context } = work
  const { signal } = context

  await checkNothingThere(destination, 'a directory')

  const size = await claimedSize(root.cid, { blocks: files.blocks(root.cid), signal })
  repo.together?.expect(size)

  if (online) {
    await fetchTree(root.cid, size, work)
  }

  // each is for one walk at a time
  const [waiting, measured] = [1, 2].map(() => new SpillStack<WaitingDirectory>(temporaryFor(destination)))
  const small = new SmallFiles(repo)
  const options = { files, small, limits, concurrency: small.concurrency, signal }
  const likely = likelyTotals(size)
  let measuring: Promise<void> | undefined

  const measure = async (written: WriteTotals, progress: Progress): Promise<void> => {
    const totals = await measureTree(destination, root.cid, { ...options, waiting: measured, progress })
    await checkRoom(destination, { size: totals.size - written.size, entries: totals.entries - written.entries })
  }

  try {
    if (!await mayHave(likely, work)) {
      await (measuring = measure({ size: 0, entries: 0 }, step(work, 'measure')))
    }

    const { size: written, ...counts } = await writeTree(destination, root, {
      ...options,
      waiting,
      progress: step(work, 'write', size),
      async beforeMore (totals) {
        if (totals.size > likely.size || totals.entries > likely.entries) {
          await (measuring ??= measure(totals, { update () {}, end () {} }))
        }
      },
      whileRemoving: async remove => duringStep(context, { task: 'remove', name: basename(destination) }, remove),
      allowSymlinks
    })

    return { cid: root.cid, path: destination, type: 'directory', size: written, counts }
  } finally {
    await Promise.all([waiting.close(), measured.close(), small.close()])
  }
}

/** Whether so much may be written, and has room. To find out how much it is would take a third of the time of `get`. */
async function mayHave (totals: WriteTotals, { destination, limits }: Work): Promise<boolean> {
  try {
    limits.check(totals)
    await checkRoom(destination, totals)

    return true
  } catch {
    return false
  }
}

/** Fetch what is missing of a tree. */
async function fetchTree (root: CID, size: number, work: Work): Promise<void> {
  const { reading: { files, dropPlan, hasSeveral }, limits: { maxSize: maxBytes }, context: { signal } } = work
  const blocks = files.blocks(root)
  const fromBothEnds = hasSeveral && size >= LEAST_FROM_BOTH_ENDS
  const progress = step(work, 'fetch', size)

  try {
    await fetchDag(root, { blocks, onFound: dropPlan, onBytes: progress.add, maxBytes, fromBothEnds, signal })

    if (fromBothEnds) {
      // one gateway would go on with what the others have sent
      dropPlan()
    }
  } finally {
    progress.end()
  }
}

function step ({ destination, context }: Work, task: Task, total?: number): StepProgress {
  return beginStep(context, { task, name: basename(destination), unit: 'bytes', total })
}
