import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { metadataOf, NEW_FILE_MODE, restoreMetadata } from './restore-metadata.ts'
import { keepFresh, removeTemporary, temporaryFor } from './temporary-files.ts'
import type { Progress } from '../terminal/progress.ts'
import type { DirectoryEntry } from '@ipfsz/core'

/** The temporary name says nothing to whoever asked for the other. */
export function namedByTarget (err: unknown, target: string): unknown {
  return Object.assign(err as Error, { path: dirname(target) })
}

/**
 * Write a file to disk: whole under its name, or not at all. A symlink of that name is
 * replaced, and what it leads to stays as it is.
 *
 * @returns how many it has
 */
export async function writeWhole (target: string, content: AsyncIterable<Uint8Array>, progress: Progress, metadata: Pick<DirectoryEntry, 'unixfs' | 'mtime'> = {}): Promise<number> {
  const temporary = temporaryFor(target)
  const stopRefreshing = keepFresh(temporary)
  let done = 0

  try {
    const file = await open(temporary, 'wx').catch((err: unknown) => { throw namedByTarget(err, target) })

    try {
      for await (const bytes of content) {
        await file.writeFile(bytes)
        done += bytes.byteLength
        progress.update(done)
      }
    } finally {
      await file.close()
    }

    stopRefreshing()
    await restoreMetadata(temporary, metadataOf(metadata))
    await rename(temporary, target)

    return done
  } catch (err) {
    await removeTemporary(temporary)
    throw err
  } finally {
    stopRefreshing()
    progress.end()
  }
}

/** Write a file that is not there. Symlinks are not followed. */
export async function writeNew (path: string, content: AsyncIterable<Uint8Array>, onWritten: (bytes: number) => void): Promise<void> {
  // fails where there is anything, also a symlink to nowhere
  const file = await open(path, 'wx', NEW_FILE_MODE)

  try {
    for await (const bytes of content) {
      await file.writeFile(bytes)
      onWritten(bytes.byteLength)
    }
  } finally {
    await file.close()
  }
}
