import { constants, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { FileHandle } from 'node:fs/promises'

/** Non-blocking: to open a named pipe would wait for its writer otherwise. Windows has no such pipes. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
const READ_SIZE = 1024 * 1024

/**
 * Copy a file of another program to a new path.
 *
 * @throws {Error} it is a symlink, or is not a regular file, or a system error
 */
export async function copyRegularFile (path: string, to: string, signal: AbortSignal): Promise<void> {
  const handle = await openRegularFile(path, constants.O_NOFOLLOW)

  try {
    await pipeline(
      handle.createReadStream({ autoClose: false, highWaterMark: READ_SIZE }),
      createWriteStream(to, { flags: 'wx', highWaterMark: READ_SIZE }),
      { signal }
    )
  } finally {
    await handle.close()
  }
}

/**
 * Open a file that may be anything, without waiting for it.
 *
 * @param flags - besides those to read
 * @throws {Error} it is not a regular file, or a system error
 */
export async function openRegularFile (path: string, flags = 0): Promise<FileHandle> {
  const handle = await open(path, READ | flags)

  try {
    if ((await handle.stat()).isFile()) {
      return handle
    }
  } catch (err) {
    await handle.close()
    throw err
  }

  await handle.close()
  throw new Error(`${path} is not a regular file`)
}
