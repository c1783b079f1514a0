import { unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { holdDirectory } from '../disk/held-directory.ts'
import { removeDirectory as removeIn } from '../disk/remove-directory.ts'
import { TreeEntryError } from '../errors.ts'
import type { HeldDirectory } from '../disk/held-directory.ts'

/** Maximum number of attempts for a directory in which others add or delete files meanwhile. */
const ATTEMPTS = 3

/**
 * Delete a directory with all that is in it, or as much as there is time for. Of a symlink, only the symlink.
 *
 * @param stopped - called repeatedly: returns whether to skip the rest
 */
export async function removeDirectory (directory: string, stopped: () => boolean): Promise<void> {
  try {
    const parent = await holdDirectory(dirname(directory))

    await remove(parent, basename(directory), stopped).finally(async () => parent.close())
  } catch (err) {
    // another process deleted it
    if ((err as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw err
    }
  }
}

async function remove (parent: HeldDirectory, name: string, stopped: () => boolean): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await removeIn(parent, name, stopped)
      return
    } catch (err) {
      if (err instanceof TreeEntryError) {
        await unlink(`${parent.path}/${name}`)
        return
      }

      if (stopped()) {
        return
      }

      if (attempt === ATTEMPTS) {
        throw err
      }
    }
  }
}
