import { basename, dirname } from 'node:path'
import { isMarked, mark, TREE_CODE } from '@ipfsz/core'
import { withReading } from '../context.ts'
import { checkFileTarget, checkNothingThere, getTarget } from '../disk/get-target.ts'
import { measureTree } from '../disk/measure-tree.ts'
import { noteLinks } from '../terminal/note-links.ts'
import { printable } from '../terminal/output.ts'
import { knownSize } from '../terminal/progress.ts'
import { metadataOf } from '../disk/restore-metadata.ts'
import { SpillStack } from '../disk/spill-stack.ts'
import { parseTarget } from '../target.ts'
import { sweepTemporaries, temporaryFor } from '../disk/temporary-files.ts'
import { formatSize } from '../terminal/units.ts'
import { writeWhole } from '../disk/write-file.ts'
import { checkRoom, WriteLimits } from '../disk/write-limits.ts'
import { checkSymlink, linkOf, writeSymlink } from '../disk/write-symlink.ts'
import { writeTree } from '../disk/write-tree.ts'
import type { Context } from '../context.ts'
import type { Target } from '../target.ts'
import type { WaitingDirectory, WaitingSymlink } from '../disk/write-tree.ts'
import type { CatEvents, DirectoryEntry, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface GetCommandOptions {
  /** Where to write, by default the last name of the path or the CID, in the working directory. */
  output?: string
  /** The most bytes that a stream of others may look back to. */
  maxWindow?: number
  /**
   * The most bytes to write.
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
  /** Whether symlinks may lead out of what is written. */
  allowSymlinks?: boolean
}

/** Write a file or a tree to disk: whole under its name, or not at all. */
export async function get (text: string, options: GetCommandOptions, context: Context): Promise<void> {
  const asked = parseTarget(text)

  await withReading(context, asked.cid, async ({ files }) => { await write(asked, files, options, context) })
}

async function write (asked: Target, files: Ipfsz, options: GetCommandOptions, context: Context): Promise<void> {
  const { io, output, signal } = context
  const { cid, path } = asked
  const wanted = await getTarget(options.output, asked, io.cwd)
  const onProgress = noteLinks(output)
  let unchecked: CatEvents | undefined
  const stats = await files.stat(cid, { path, signal, onProgress (event) { unchecked = event.type === 'ipfsz:link:unchecked' ? event : unchecked } })
  const { type, unixfs, mtime } = stats
  const limits = new WriteLimits(wanted, options)

  await sweepTemporaries(dirname(wanted), io.now())

  if (unchecked != null && type !== 'file') {
    // a file is still compared while it is read
    onProgress(unchecked)
  }

  if (type === 'directory') {
    await writeDirectory(wanted, { cid: stats.markedCid ?? asTree(cid, stats.plainCid), unixfs, mtime }, files, { ...options, limits }, context)
    return
  }

  if (unixfs?.type === 'symlink') {
    const link = linkOf(wanted, unixfs)
    await checkNothingThere(wanted, 'a symlink')

    if (options.allowSymlinks !== true) {
      // what is beside it may be a symlink itself: none of its names is taken back
      await checkSymlink(wanted, link, [], async () => false)
    }

    await writeSymlink(wanted, link, metadataOf(stats))
    output.result({ cid: stats.plainCid.toString(), path: wanted, size: 0 }, `${printable(wanted)}\t${formatSize(0)}`)
    return
  }

  const known = knownSize(stats)
  const totals = { size: known ?? 0, entries: 1 }

  await checkFileTarget(wanted, asked)
  limits.check(totals)
  await checkRoom(wanted, totals)
  const content = limits.limit(files.cat(cid, { path, signal, maxWindowSize: options.maxWindow, onProgress }))
  const size = await writeWhole(wanted, content, output.progress(basename(wanted), known), { unixfs, mtime })
  output.result({ cid: path === '' ? cid.toString() : (stats.markedCid ?? stats.plainCid).toString(), path: wanted, size }, `${printable(wanted)}\t${formatSize(size)}`)
}

async function writeDirectory (wanted: string, root: Pick<DirectoryEntry, 'cid' | 'unixfs' | 'mtime'>, files: Ipfsz, { limits, allowSymlinks = false }: GetCommandOptions & { limits: WriteLimits }, { output, signal }: Context): Promise<void> {
  await checkNothingThere(wanted, 'a directory')

  const unmeasured = new SpillStack<string>(temporaryFor(wanted))
  const directories = new SpillStack<WaitingDirectory>(temporaryFor(wanted))
  const symlinks = new SpillStack<WaitingSymlink>(temporaryFor(wanted))

  try {
    const totals = await measureTree(wanted, root.cid, { files, limits, directories: unmeasured, progress: output.progress(`measuring ${basename(wanted)}`), signal })
    await checkRoom(wanted, totals)
    const counts = await writeTree(wanted, root, { files, progress: output.progress(basename(wanted), totals.size), limits, allowSymlinks, waiting: { directories, symlinks }, signal })

    output.result({ cid: root.cid.toString(), path: wanted, ...counts }, `${printable(wanted)}\t${formatSize(counts.size)}`)
  } finally {
    await Promise.all([unmeasured.close(), directories.close(), symlinks.close()])
  }
}

/** What a directory below a CID is read by as that is: what is in a tree says for itself whether it is compressed. */
function asTree (cid: CID, plainCid: CID): CID {
  return isMarked(cid) ? mark(plainCid, TREE_CODE) : plainCid
}
