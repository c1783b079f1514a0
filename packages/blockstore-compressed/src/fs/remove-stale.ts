import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The age at which a temporary file counts as left behind by a killed process, 1 hour. */
const STALE_AFTER = 60 * 60 * 1000

/** Names from `randomUUID`. All other files belong to somebody else. */
const NAME = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Delete stale files in a directory of temporary files. Does nothing if the path is a symlink or not a directory. */
export async function removeStale (directory: string): Promise<void> {
  const stats = await lstat(directory).catch(() => undefined)
  const names = stats?.isDirectory() === true ? await readdir(directory) : []

  for (const name of names.filter(name => NAME.test(name))) {
    const file = join(directory, name)

    try {
      const { mtimeMs } = await lstat(file)

      if (Date.now() - mtimeMs > STALE_AFTER) {
        await rm(file)
      }
    } catch {
      // another process has deleted it
    }
  }
}
