import { chmod, opendir, rmdir, unlink } from 'node:fs/promises'
import { retryWhileOpen } from '@ipfsz/utils/while-open'
import type { HeldDirectory } from './held-directory.ts'
import type { Dirent } from 'node:fs'

/** How many entries of a directory are deleted before more are read. */
const ENTRIES_AT_ONCE = 4096

/**
 * Delete a directory with all that is in it, even with read-only directories. Node's `rm` is not used: it follows
 * symlinks that take the place of directories meanwhile, and handles all entries of a directory at once, of which a
 * million need more than a gigabyte of memory.
 *
 * @param stopped - called repeatedly: returns whether to skip the rest
 * @throws {TreeEntryError} it is not a directory, but perhaps a symlink to one
 */
export async function removeDirectory (
  parent: HeldDirectory,
  name: string,
  stopped: () => boolean = () => false
): Promise<void> {
  const directory = await parent.enter(name)

  try {
    await emptyDirectory(directory, stopped)
  } finally {
    await directory.close()
  }

  if (!stopped()) {
    await retryWhileOpen(async () => rmdir(`${parent.path}/${name}`))
  }
}

/** Delete all that is in a directory. */
export async function emptyDirectory (
  directory: HeldDirectory,
  stopped: () => boolean = () => false
): Promise<void> {
  const { path } = directory

  await chmod(path, 0o700)

  for (let entries = await firstEntries(path); entries.length > 0 && !stopped(); entries = await firstEntries(path)) {
    const directories = entries.filter(entry => entry.isDirectory())
    await Promise.all(entries.filter(entry => !entry.isDirectory()).map(async ({ name }) =>
      retryWhileOpen(async () => unlink(`${path}/${name}`))))

    for (const { name } of directories) {
      await removeDirectory(directory, name, stopped)
    }
  }
}

/** Opens the directory anew each time, so that what is deleted meanwhile does not matter. */
async function firstEntries (directory: string): Promise<Dirent[]> {
  const entries: Dirent[] = []

  for await (const entry of await opendir(directory, { bufferSize: 256 })) {
    if (entries.push(entry) === ENTRIES_AT_ONCE) {
      break
    }
  }

  return entries
}
