import { realpath, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { isMarked, mark, TREE_CODE } from '@ipfsz/core'
import { withReading } from '../context.ts'
import { TreeEntryError, UsageError } from '../errors.ts'
import { noteUnchecked } from '../note-unchecked.ts'
import { printable } from '../output.ts'
import { knownSize } from '../progress.ts'
import { nameOf, parseTarget } from '../target.ts'
import { formatSize } from '../units.ts'
import { writeWhole } from '../write-file.ts'
import { exists, writeSymlink, writeTree } from '../write-tree.ts'
import type { Context } from '../context.ts'
import type { Target } from '../target.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

export interface GetCommandOptions {
  /** Where to write, by default the last name of the path or the CID, in the working directory. */
  output?: string
  /** The most bytes that a stream of others may look back to. */
  maxWindow?: number
}

/** Write a file or a tree to disk: whole under its name, or not at all. */
export async function get (text: string, options: GetCommandOptions, context: Context): Promise<void> {
  const asked = parseTarget(text)

  await withReading(context, asked.cid, async ({ files }) => { await write(asked, files, options, context) })
}

async function write (asked: Target, files: Ipfsz, options: GetCommandOptions, { io, output, signal }: Context): Promise<void> {
  const { cid, path } = asked
  const onProgress = noteUnchecked(output)
  const stats = await files.stat(cid, { path, signal, onProgress })
  const { type, unixfs, mtime } = stats
  const wanted = resolve(io.cwd, options.output ?? nameOf(asked))

  if (type === 'directory') {
    const root = { cid: stats.markedCid ?? asTree(cid, stats.plainCid), unixfs, mtime }
    const counts = await writeTree(wanted, root, files, output.progress(basename(wanted)), signal)
    const { size } = counts

    output.result({ cid: root.cid.toString(), path: wanted, ...counts }, `${printable(wanted)}\t${formatSize(size)}`)
    return
  }

  if (unixfs?.type === 'symlink') {
    if (await exists(wanted)) {
      throw new TreeEntryError(wanted, 'is there already, and a symlink is written only where nothing is')
    }

    await writeSymlink(wanted, { unixfs, mtime })
    output.result({ cid: stats.plainCid.toString(), path: wanted, size: 0 }, `${printable(wanted)}\t${formatSize(0)}`)
    return
  }

  const target = await resolveTarget(wanted)
  const size = await writeWhole(target, files.cat(cid, { path, signal, maxWindowSize: options.maxWindow, onProgress }), output.progress(basename(target), knownSize(stats)), { unixfs, mtime })
  output.result({ cid: path === '' ? cid.toString() : (stats.markedCid ?? stats.plainCid).toString(), path: target, size }, `${printable(target)}\t${formatSize(size)}`)
}

/** What a directory below a CID is read by as that is: what is in a tree says for itself whether it is compressed. */
function asTree (cid: CID, plainCid: CID): CID {
  return isMarked(cid) ? mark(plainCid, TREE_CODE) : plainCid
}

/** The file to write: where a link leads, and nothing that is there and no file. */
async function resolveTarget (path: string): Promise<string> {
  const target = await realpath(path).catch(() => path)
  const stats = await stat(target).catch(() => undefined)

  if (stats?.isDirectory() === true) {
    throw Object.assign(new Error(`${target} is a directory`), { code: 'EISDIR', syscall: 'open', path: target })
  }

  if (stats != null && !stats.isFile()) {
    throw new UsageError(`${target} is not a file: write there with ipfsz cat`)
  }

  return target
}
