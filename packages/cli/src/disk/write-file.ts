import { open, rename } from 'node:fs/promises'
import { metadataOf, NEW_FILE_MODE, restoreMetadata } from './restore-metadata.ts'
import { withTargetDirectory } from './target-errors.ts'
import { keepFresh, removeTemporary, temporaryFor } from './temporary-files.ts'
import type { FileHandle } from 'node:fs/promises'
import type { Progress } from '../terminal/progress.ts'
import type { DirectoryEntry } from '@ipfsz/core'

/**
 * Write a whole file under its name, or nothing. Replaces a file or symlink of that name; the symlink's target stays.
 *
 * @returns the number of bytes written
 */
export async function writeWhole (
  target: string,
  content: AsyncIterable<Uint8Array>,
  progress: Progress,
  metadata: Pick<DirectoryEntry, 'unixfs' | 'mtime'> = {}
): Promise<number> {
  const temporary = temporaryFor(target)
  const stopRefreshing = keepFresh(temporary)
  let done = 0

  try {
    const file = await open(temporary, 'wx').catch((err: unknown) => { throw withTargetDirectory(err, target) })

    try {
      for await (const bytes of content) {
        await writeAll(file, bytes)
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

/** Write a new file. Does not follow symlinks. */
export async function writeNew (
  path: string,
  content: AsyncIterable<Uint8Array>,
  onWritten: (bytes: number) => void
): Promise<void> {
  // fails if anything has this path, even a symlink to nowhere
  const file = await open(path, 'wx', NEW_FILE_MODE)

  try {
    for await (const bytes of content) {
      await writeAll(file, bytes)
      onWritten(bytes.byteLength)
    }
  } finally {
    await file.close()
  }
}

/**
 * Append bytes, with one call if the disk takes them all. `file.writeFile` makes one for every 512 KiB, and each waits
 * in the thread pool behind the frames that are being decompressed.
 */
async function writeAll (file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    const { bytesWritten } = await file.write(bytes, done)

    done += bytesWritten
  }
}
