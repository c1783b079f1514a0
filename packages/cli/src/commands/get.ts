import { basename, dirname } from 'node:path'
import { isMarked, mark, TREE_CODE } from '@ipfsz/core'
import { claimedSize, fetchDag, LEAST_FROM_BOTH_ENDS } from '@ipfsz/node/internal/dag/fetch-dag'
import { cat } from './cat.ts'
import { withTarget } from './read-target.ts'
import { checkFileTarget, checkNoOverwrite, checkNothingThere, getTarget } from '@ipfsz/node/internal/disk/get-target'
import { holdToWrite } from '@ipfsz/node/internal/disk/held-directory'
import { measureTree } from '@ipfsz/node/internal/disk/measure-tree'
import { noteLinks } from '../terminal/note-links.ts'
import { printable } from '../terminal/output.ts'
import { counter, knownSize } from '../terminal/progress.ts'
import { metadataOf } from '@ipfsz/node/internal/disk/restore-metadata'
import { SpillStack } from '@ipfsz/node/internal/disk/spill-stack'
import { sweepTemporaries, temporaryFor } from '@ipfsz/node/internal/disk/temporary-files'
import { withShownPath } from '@ipfsz/node/internal/disk/target-errors'
import { sizeCell } from '../terminal/row.ts'
import { writeWhole } from '@ipfsz/node/internal/disk/write-file'
import { checkRoom, WriteLimits } from '@ipfsz/node/internal/disk/write-limits'
import { checkSymlink, linkOf, writeSymlink } from '@ipfsz/node/internal/disk/write-symlink'
import { writeTree } from '@ipfsz/node/internal/disk/write-tree'
import type { Context, Reading } from '../context.ts'
import type { CidPath } from '@ipfsz/node/internal/dag/cid-path'
import type { WaitingDirectory, WaitingSymlink } from '@ipfsz/node/internal/disk/tree-writer'
import type { CatEvents, DirectoryEntry, Stats } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** The output that stands for stdout. */
const STDOUT = '-'

export interface GetCommandOptions {
  /** Where to write; `-` is stdout. Default: the last name of the path, or the CID, in the working directory. */
  output?: string
  /** The largest window of a stream that ipfsz did not make, in bytes. */
  maxWindow?: number
  /**
   * The most bytes to write: 4 TiB by default.
   *
   * @default 4398046511104
   */
  maxSize?: number
  /**
   * The most files, directories and symlinks to write.
   *
   * @default 100000000
   */
  maxFiles?: number
  /** Whether to replace a file. Directories are never replaced. */
  force?: boolean
  /** Whether to write symlinks that point outside the output directory. */
  allowSymlinks?: boolean
}

/** Write a file or a directory to disk. It appears under its name only when it is complete. */
export async function get (text: string, options: GetCommandOptions, context: Context): Promise<void> {
  if (options.output === STDOUT) {
    await cat(text, { raw: false, maxWindow: options.maxWindow }, context)
    return
  }

  await withTarget(
    text,
    context,
    { scope: 'all' },
    async (source, reading) => { await write(source, reading, options, context) }
  )
}

async function write (source: CidPath, reading: Reading, options: GetCommandOptions, context: Context): Promise<void> {
  const { files } = reading
  const { io, output, signal } = context
  const { cid, path } = source
  const destination = await getTarget(options.output, source, io)
  const onProgress = noteLinks(output)
  let unchecked: CatEvents | undefined
  const file = await files.open(
    cid,
    { path, signal, onProgress (event) { unchecked = event.type === 'ipfsz:link:unchecked' ? event : unchecked } }
  )
  const { stats, stats: { type, unixfs, mtime } } = file
  const limits = new WriteLimits(destination, options)

  await sweepTemporaries(dirname(destination), io.now())

  if (unchecked != null && type !== 'file') {
    // only here: for a file, reading it below checks the link or reports it
    onProgress(unchecked)
  }

  if (type === 'directory') {
    file.close()
    await writeDirectory(
      destination,
      { cid: stats.markedCid ?? directoryCid(cid, stats.plainCid), unixfs, mtime },
      reading,
      { ...options, limits },
      context
    )
    return
  }

  if (unixfs?.type === 'symlink') {
    await writeLink(destination, stats, options, output)
    return
  }

  const known = knownSize(stats)
  await checkFile(destination, source, { ...options, limits, known })
  const { maxWindow: maxWindowSize } = options
  const content = limits.limit(file.read({ signal, maxWindowSize, onProgress, transient: true }))
  const size = await writeWhole(destination, content, output.progress(basename(destination), known), { unixfs, mtime })
  printWritten(path === '' ? cid : stats.markedCid ?? stats.plainCid, destination, { size }, output)
}

async function writeLink (
  destination: string,
  stats: Stats,
  { allowSymlinks = false }: GetCommandOptions,
  output: Context['output']
): Promise<void> {
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

  printWritten(stats.plainCid, destination, { size: 0 }, output)
}

/** Refuse to write a file before anything of it is read. */
async function checkFile (
  destination: string,
  source: CidPath,
  { force = false, limits, known = 0 }: GetCommandOptions & { limits: WriteLimits, known: number | undefined }
): Promise<void> {
  const totals = { size: known, entries: 1 }

  await checkFileTarget(
    destination,
    `ipfsz cat ${source.text}`,
    'to write into it, append a slash to the path'
  )

  if (!force) {
    await checkNoOverwrite(destination)
  }

  limits.check(totals)
  await checkRoom(destination, totals)
}

function printWritten (cid: CID, path: string, counts: { size: number }, output: Context['output']): void {
  output.row({ cid: cid.toString(), path, ...counts }, [printable(path), sizeCell(counts.size)])
}

async function writeDirectory (
  destination: string,
  root: Pick<DirectoryEntry, 'cid' | 'unixfs' | 'mtime'>,
  reading: Reading,
  { limits, allowSymlinks = false }: GetCommandOptions & { limits: WriteLimits },
  context: Context
): Promise<void> {
  const { files } = reading
  const { output, signal } = context

  await checkNothingThere(destination, 'a directory')

  if (reading.online) {
    await fetchTree(basename(destination), root.cid, reading, limits, context)
  }

  const unmeasured = new SpillStack<string>(temporaryFor(destination))
  const directories = new SpillStack<WaitingDirectory>(temporaryFor(destination))
  const symlinks = new SpillStack<WaitingSymlink>(temporaryFor(destination))

  try {
    const totals = await measureTree(destination, root.cid, {
      files,
      limits,
      directories: unmeasured,
      progress: output.progress(`measuring ${basename(destination)}`),
      signal
    })
    await checkRoom(destination, totals)
    const counts = await writeTree(destination, root, {
      files,
      progress: output.progress(basename(destination), totals.size),
      limits,
      allowSymlinks,
      waiting: { directories, symlinks },
      signal
    })

    printWritten(root.cid, destination, counts, output)
  } finally {
    await Promise.all([unmeasured.close(), directories.close(), symlinks.close()])
  }
}

/** Fetch what is missing of a tree. */
async function fetchTree (
  name: string,
  root: CID,
  { files, dropPlan, hasSeveral }: Reading,
  { maxSize: maxBytes }: WriteLimits,
  { output, signal }: Context
): Promise<void> {
  const blocks = files.blocks(root)
  const size = await claimedSize(root, { blocks, signal })
  const fromBothEnds = hasSeveral && size != null && size >= LEAST_FROM_BOTH_ENDS
  const progress = output.progress(`fetching ${name}`, size)

  try {
    await fetchDag(root, { blocks, onFound: dropPlan, onBytes: counter(progress), maxBytes, fromBothEnds, signal })

    if (fromBothEnds) {
      // one gateway would go on with what the others have sent
      dropPlan()
    }
  } finally {
    progress.end()
  }
}

/** The CID to read a directory by: marked if the root is marked, so that its entries are decompressed. */
function directoryCid (cid: CID, plainCid: CID): CID {
  return isMarked(cid) ? mark(plainCid, TREE_CODE) : plainCid
}
