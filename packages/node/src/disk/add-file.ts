// Room: files and directories of this machine, read and written, within limits and free space (`write-limits.ts`). What
// other users replace meanwhile is not followed: `held-directory.ts`, for trees that are read `held-tree.ts`.
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { openInput, statIfThere } from './read-input.ts'
import { isTorn, losesExecutableBit, metadata, readSize } from './file-content.ts'
import { identityOf, isSameIdentity } from './file-identity.ts'
import type { Progress } from './progress.ts'
import type { Preserve } from './file-content.ts'
import type { TreeFile } from './tree-file.ts'
import type { CID } from 'multiformats/cid'
import type { BigIntStats } from 'node:fs'
import type { AddOptions, Ipfsz, Mtime, Stats } from '@ipfsz/core'

/** A file that may be known: one of a tree, or one that is added alone, which is a tree of its own. */
export interface ExaminedFile extends Pick<TreeFile, 'name' | 'pathInTree' | 'stats' | 'examined' | 'isSame'> {
  tree: { readonly root: { readonly path: string } }
}

/** The bytes of a single file, or of stdin. */
export interface FileSource {
  /** Called once, if they are needed. */
  open: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>
  /** Missing for what is no file. */
  file?: ExaminedFile
  /** Missing for pipes and devices. */
  size?: number
  metadata?: { mode?: number, mtime?: Mtime }
  /** Whether the file is executable, and will not be when it is read back. */
  executable?: boolean
  /** Once it is read: whether it was written to meanwhile, so that its bytes may be of several versions. */
  hasChanged?: () => Promise<boolean>
}

/** Examine a file, or a pipe or device. */
export async function examineFile (path: string, preserve: Preserve, signal: AbortSignal): Promise<FileSource> {
  const examined = Date.now()
  const stats = await stat(path, { bigint: true })
  const isSame = (other: BigIntStats): boolean => isSameIdentity(identityOf(other), identityOf(stats))
  const file = { name: basename(path), tree: { root: { path } }, pathInTree: '', stats, examined, isSame: false }

  return {
    // the stream itself: core reads that in frames, into memory that it uses again
    open: async () => openInput(path, stats, {
      readSize: readSize(stats), signal, onOpened: opened => { file.isSame = isSame(opened) }
    }),
    metadata: metadata(stats, preserve),
    executable: losesExecutableBit(stats, preserve),
    hasChanged: async () => {
      const after = await statIfThere(path)
      // what was opened, too: a symlink may have had another target for a moment
      file.isSame &&= after != null && isSame(after)

      return after != null && isTorn(stats, after)
    },
    // pipes and devices report no size
    ...stats.isFile() ? { size: Number(stats.size), file } : {}
  }
}

/** Add a single file. */
export async function addFile (
  { open, metadata }: FileSource,
  files: Ipfsz,
  { progress, ...options }: Pick<AddOptions, 'compression' | 'link' | 'signal'> & {
    progress: Pick<Progress, 'update' | 'end'>
  }
): Promise<Stats> {
  const cid = await files.addByteStream(await open(), {
    ...metadata,
    ...options,
    onProgress (event) {
      if (event.type === 'unixfs:importer:progress:file:read') {
        progress.update(Number(event.detail.bytesRead))
      }
    }
  }).finally(() => progress.end())

  return { ...await files.stat(cid), cid }
}

/** Take a single file as it was added before, without reading it. */
export async function takeFile (
  cid: CID,
  { size = 0 }: FileSource,
  files: Ipfsz,
  { progress, signal }: { progress: Pick<Progress, 'update' | 'end'>, signal: AbortSignal }
): Promise<Stats> {
  progress.update(size)
  progress.end()

  return { ...await files.stat(cid, { signal }), cid }
}
