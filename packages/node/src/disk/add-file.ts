// Room: files and directories of this machine, read and written, within limits and free space (`write-limits.ts`). What
// other users replace meanwhile is not followed: `held-directory.ts`, for trees that are read `held-tree.ts`.
import { stat } from 'node:fs/promises'
import { openInput, statAgain } from './read-input.ts'
import { isTorn, losesExecutableBit, metadata, readSize } from './file-content.ts'
import type { Progress } from './progress.ts'
import type { Preserve } from './file-content.ts'
import type { AddOptions, Ipfsz, Mtime, Stats } from '@ipfsz/core'

/** The bytes of a single file, or of stdin. */
export interface FileSource {
  content: AsyncIterable<Uint8Array>
  /** Missing for pipes and devices. */
  size?: number
  metadata?: { mode?: number, mtime?: Mtime }
  /** Whether the file is executable, and will not be when it is read back. */
  executable?: boolean
  /** Once it is read: whether it was written to meanwhile, so that its bytes may be of several versions. */
  hasChanged?: () => Promise<boolean>
}

/** Open a file, or a pipe or device. */
export async function openFile (path: string, preserve: Preserve, signal: AbortSignal): Promise<FileSource> {
  const stats = await stat(path, { bigint: true })

  return {
    // the stream itself: core reads that in frames, into memory that it uses again
    content: await openInput(path, stats, { readSize: readSize(stats), signal }),
    metadata: metadata(stats, preserve),
    executable: losesExecutableBit(stats, preserve),
    hasChanged: async () => {
      const after = await statAgain(path)

      return after != null && isTorn(stats, after)
    },
    // pipes and devices report no size
    ...stats.isFile() ? { size: Number(stats.size) } : {}
  }
}

/** Add a single file. */
export async function addFile (
  { content, metadata }: FileSource,
  files: Ipfsz,
  { progress, ...options }: Pick<AddOptions, 'compression' | 'link' | 'signal'> & {
    progress: Pick<Progress, 'update' | 'end'>
  }
): Promise<Stats> {
  const cid = await files.addByteStream(content, {
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
