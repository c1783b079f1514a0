import { futimesSync } from 'node:fs'
import { open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { retryWhileOpen } from '@ipfsz/utils/while-open'
import { checkFileTarget } from './get-target.ts'
import { holdToWrite } from './held-directory.ts'
import { metadataOf, modeToCreate, NEW_FILE_MODE, restoreFile } from './restore-metadata.ts'
import { withPath } from './target-errors.ts'
import { keepFresh, temporaryFor } from './temporary-files.ts'
import type { HeldDirectory } from './held-directory.ts'
import type { Metadata } from './restore-metadata.ts'
import type { Progress } from './progress.ts'
import type { DirectoryEntry } from '@ipfsz/core'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** The mode of a file that this user names, before the umask. */
const NAMED_FILE_MODE = 0o666

/**
 * Write a whole file under its name, or nothing. Replaces a file or symlink of that name; the symlink's target stays.
 *
 * @returns the number of bytes written
 * @throws {TreeEntryError} another program replaced the unfinished file, or could: see `holdToWrite`
 */
export async function writeWhole (
  target: string,
  content: AsyncIterable<Uint8Array>,
  progress: Progress,
  metadata: Pick<DirectoryEntry, 'unixfs' | 'mtime'> = {}
): Promise<number> {
  const directory = await holdToWrite(dirname(target))

  try {
    return await writeInto(directory, basename(target), content, { progress, metadata: metadataOf(metadata) })
  } finally {
    progress.end()
    await directory.close()
  }
}

async function writeInto (
  directory: HeldDirectory,
  name: string,
  content: AsyncIterable<Uint8Array>,
  { progress, metadata }: { progress: Progress, metadata: Metadata }
): Promise<number> {
  const temporary = temporaryFor(name)
  const path = `${directory.path}/${temporary}`
  const shown = join(directory.shown, name)
  const mode = modeToCreate(metadata, NAMED_FILE_MODE)
  const file = await open(path, 'wx', mode).catch((err: unknown) => {
    throw withPath(err, directory.shown)
  })
  let done = 0

  try {
    const made = await fill(file, content, { metadata, shown }, bytes => {
      progress.update(done += bytes)
    })
    await directory.checkEntry(temporary, made, shown)
    await retryWhileOpen(async () => rename(path, `${directory.path}/${name}`)).catch(async (err: unknown) => {
      // a directory may have the name by now
      await checkFileTarget(shown)
      throw withPath(err, shown)
    })

    return done
  } catch (err) {
    await unlink(path).catch(() => {})
    throw err
  }
}

/** Write a file, and close it. Returns what it is. */
async function fill (
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  { metadata, shown }: { metadata: Metadata, shown: string },
  onWritten: (bytes: number) => void
): Promise<BigIntStats> {
  const stopRefreshing = keepFresh(now => { futimesSync(file.fd, now, now) })

  try {
    await writeContent(file, content, shown, onWritten)
    stopRefreshing()
    await restoreFile(file, metadata)

    return await file.stat({ bigint: true })
  } finally {
    stopRefreshing()
    await file.close()
  }
}

/** Write a new file. Does not follow symlinks. */
export async function writeNew (
  path: string,
  content: AsyncIterable<Uint8Array>,
  metadata: Metadata,
  onWritten: (bytes: number) => void
): Promise<void> {
  // fails if anything has this path, even a symlink to nowhere
  const file = await open(path, 'wx', modeToCreate(metadata, NEW_FILE_MODE))

  try {
    await writeContent(file, content, path, onWritten)
    await restoreFile(file, metadata)
  } finally {
    await file.close()
  }
}

/** @param shown - for system errors, which name no path */
async function writeContent (
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  shown: string,
  onWritten: (bytes: number) => void
): Promise<void> {
  for await (const bytes of content) {
    await writeAll(file, bytes).catch((err: unknown) => { throw withPath(err, shown) })
    onWritten(bytes.byteLength)
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
