import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** What a killed process left half written is deleted when it is as old as this, 1 hour. */
const STALE_AFTER = 60 * 60 * 1000

/** The names that `randomUUID` makes: others are not of this store. */
const NAME = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Delete what is stale in a directory of temporary files. Where it is none, or a way to another, nothing is deleted. */
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
      // another process was faster
    }
  }
}
