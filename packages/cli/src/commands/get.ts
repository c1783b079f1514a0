import { stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { isMarked, mark, TREE_CODE } from '@ipfsz/core'
import { withReading } from '../context.ts'
import { UsageError } from '../errors.ts'
import { measureTree } from '../measure-tree.ts'
import { noteLinks } from '../note-unchecked.ts'
import { printable } from '../output.ts'
import { knownSize } from '../progress.ts'
import { nameOf, parseTarget } from '../target.ts'
import { sweepTemporaries } from '../temporary-files.ts'
import { formatSize } from '../units.ts'
import { writeWhole } from '../write-file.ts'
import { checkRoom, WriteLimits } from '../write-limits.ts'
import { checkNothingThere, checkSymlink, writeSymlink, writeTree } from '../write-tree.ts'
import type { Context } from '../context.ts'
import type { Target } from '../target.ts'
import type { CatEvents, Ipfsz } from '@ipfsz/core'
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

async function write (asked: Target, files: Ipfsz, options: GetCommandOptions, { io, output, signal }: Context): Promise<void> {
  const { cid, path } = asked
  const { allowSymlinks = false } = options
  const onProgress = noteLinks(output)
  let unchecked: CatEvents | undefined
  const stats = await files.stat(cid, { path, signal, onProgress (event) { unchecked = event.type === 'ipfsz:link:unchecked' ? event : unchecked } })
  const { type, unixfs, mtime } = stats
  const wanted = resolve(io.cwd, options.output ?? nameOf(asked))
  const limits = new WriteLimits(wanted, options)

  await sweepTemporaries(dirname(wanted), io.now())

  if (unchecked != null && type !== 'file') {
    // a file is still compared while it is read
    onProgress(unchecked)
  }

  if (type === 'directory') {
    const root = { cid: stats.markedCid ?? asTree(cid, stats.plainCid), unixfs, mtime }
    await checkNothingThere(wanted, 'a tree')
    const totals = await measureTree(root.cid, files, limits, output.progress(`measuring ${basename(wanted)}`), signal)
    await checkRoom(wanted, totals)
    const counts = await writeTree(wanted, root, { files, progress: output.progress(basename(wanted), totals.size), limits, allowSymlinks, signal })
    const { size } = counts

    output.result({ cid: root.cid.toString(), path: wanted, ...counts }, `${printable(wanted)}\t${formatSize(size)}`)
    return
  }

  if (unixfs?.type === 'symlink') {
    await checkNothingThere(wanted, 'a symlink')

    if (!allowSymlinks) {
      // what is beside it may be a symlink itself: none of its names is taken back
      await checkSymlink(wanted, { unixfs }, [], async () => false)
    }

    await writeSymlink(wanted, { unixfs, mtime })
    output.result({ cid: stats.plainCid.toString(), path: wanted, size: 0 }, `${printable(wanted)}\t${formatSize(0)}`)
    return
  }

  const known = knownSize(stats)
  const totals = { size: known ?? 0, entries: 1 }

  await checkTarget(wanted)
  limits.check(totals)
  await checkRoom(wanted, totals)
  const content = limits.limit(files.cat(cid, { path, signal, maxWindowSize: options.maxWindow, onProgress }))
  const size = await writeWhole(wanted, content, output.progress(basename(wanted), known), { unixfs, mtime })
  output.result({ cid: path === '' ? cid.toString() : (stats.markedCid ?? stats.plainCid).toString(), path: wanted, size }, `${printable(wanted)}\t${formatSize(size)}`)
}

/** What a directory below a CID is read by as that is: what is in a tree says for itself whether it is compressed. */
function asTree (cid: CID, plainCid: CID): CID {
  return isMarked(cid) ? mark(plainCid, TREE_CODE) : plainCid
}

/** A file is replaced, and so is a symlink to one or to nothing. What else is there, or a symlink leads to, is not. */
async function checkTarget (target: string): Promise<void> {
  const stats = await stat(target).catch(() => undefined)

  if (stats?.isDirectory() === true) {
    throw Object.assign(new Error(`${target} is a directory`), { code: 'EISDIR', syscall: 'open', path: target })
  }

  if (stats != null && !stats.isFile()) {
    throw new UsageError(`${target} is not a file: write there with ipfsz cat`)
  }
}
