import { randomUUID } from 'node:crypto'
import { lstat, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The age at which a temporary file counts as left behind by a killed process, 1 hour. */
const STALE_AFTER = 60 * 60 * 1000

/** Names from `randomUUID`. All other files belong to somebody else. */
const NAME = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Delete stale files in a directory of temporary files. Does nothing if the path is a symlink or not a directory. */
export async function removeStale (directory: string): Promise<void> {
  const stats = await lstat(directory).catch(() => undefined)
  const names = stats?.isDirectory() === true ? await readdir(directory) : []
  const ours = names.filter(name => NAME.test(name)).map(name => join(directory, name))
  const stale = await olderThan(STALE_AFTER, Date.now(), ours)

  if (stale.length === 0) {
    return
  }

  // others may be writing them, on machines whose clocks agree with each other and not with ours
  for (const file of await olderThan(STALE_AFTER, await timeIn(directory), stale)) {
    await rm(file, { force: true }).catch(() => {})
  }
}

/** The files that are there and older than an age, in milliseconds. */
async function olderThan (age: number, now: number, files: readonly string[]): Promise<string[]> {
  const older: string[] = []

  for (const file of files) {
    const stats = await lstat(file).catch(() => undefined)

    if (stats != null && now - stats.mtimeMs > age) {
      older.push(file)
    }
  }

  return older
}

/** The time by which the files of a directory are dated, in milliseconds: of a file that is made there now. */
async function timeIn (directory: string): Promise<number> {
  const file = join(directory, randomUUID())

  try {
    await writeFile(file, '', { flag: 'wx' })

    return (await lstat(file)).mtimeMs
  } catch {
    // it cannot be written: nothing can be deleted there either
    return -Infinity
  } finally {
    await rm(file, { force: true }).catch(() => {})
  }
}
