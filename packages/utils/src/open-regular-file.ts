import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

/** Non-blocking: to open a named pipe would wait for its writer otherwise. Windows has no such pipes. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

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
