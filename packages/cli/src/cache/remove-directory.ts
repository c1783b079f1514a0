import { opendir, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Files that are deleted at a time. */
const BATCH = 32

/**
 * Delete a directory with all that is in it, or as much as there is time for. `rm` of Node would first list the
 * names of all files in memory, of which there may be millions.
 *
 * @param stopped - asked now and then: whether to leave the rest
 */
export async function removeDirectory (directory: string, stopped: () => boolean): Promise<void> {
  const files: string[] = []
  const removeFiles = async (): Promise<void> => {
    await Promise.all(files.splice(0).map(async file => unlink(file)))
  }

  try {
    for await (const entry of await opendir(directory)) {
      const path = join(directory, entry.name)

      if (stopped()) {
        return
      }

      if (entry.isDirectory()) {
        await removeDirectory(path, stopped)
      } else if (files.push(path) === BATCH) {
        await removeFiles()
      }
    }

    await removeFiles()
    await rmdir(directory)
  } catch {
    // somebody else deletes it too, or has added a file
    if (!stopped()) {
      await rm(directory, { recursive: true, force: true })
    }
  }
}
