import { chmodSync, opendirSync, rmdirSync, unlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { retryWhileOpen } from '@ipfsz/utils/while-open'
import type { HeldDirectory } from './held-directory.ts'
import type { Dirent } from 'node:fs'

/** How many entries of a directory are deleted before more are read, and before anything else goes on. */
const ENTRIES_AT_ONCE = 1024

/**
 * Delete a directory with all that is in it, even with read-only directories. Node's `rm` is not used: it follows
 * symlinks that take the place of directories meanwhile, and handles all entries of a directory at once, of which a
 * million need more than a gigabyte of memory. The calls are synchronous: in the thread pool, they take more than twice
 * the processor time.
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
    await retryWhileOpen(() => { rmdirSync(`${parent.path}/${name}`) })
  }
}

/** Delete all that is in a directory. */
export async function emptyDirectory (
  directory: HeldDirectory,
  stopped: () => boolean = () => false
): Promise<void> {
  const { path } = directory

  chmodSync(path, 0o700)

  for (let entries = firstEntries(path); entries.length > 0 && !stopped(); entries = firstEntries(path)) {
    for (const entry of entries) {
      await (entry.isDirectory()
        ? removeDirectory(directory, entry.name, stopped)
        : retryWhileOpen(() => { unlinkSync(`${path}/${entry.name}`) }))
    }

    // lets bars move and others stop it
    await setImmediate()
  }
}

/** Opens the directory anew each time, so that what is deleted meanwhile does not matter. */
function firstEntries (directory: string): Dirent[] {
  const entries: Dirent[] = []
  const opened = opendirSync(directory, { bufferSize: 256 })

  try {
    while (entries.length < ENTRIES_AT_ONCE) {
      const entry = opened.readSync()

      if (entry == null) {
        break
      }

      entries.push(entry)
    }
  } finally {
    opened.closeSync()
  }

  return entries
}
