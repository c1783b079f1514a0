import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

/** To open a named pipe would wait for its other end otherwise. Windows has no such pipes. */
const NONBLOCK = constants.O_NONBLOCK ?? 0
const NOFOLLOW = constants.O_NOFOLLOW ?? 0

/**
 * Open a file that may be anything, without waiting for it.
 *
 * @param flags - besides those to read
 * @throws {Error} it is not a regular file, or a system error
 */
export async function openRegularFile (path: string, flags = 0): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | NONBLOCK | flags)

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

/**
 * The same, synchronously, and not through a symlink.
 *
 * @param flags - all of them, such as `O_RDWR | O_CREAT`
 * @throws {Error} it is not a regular file, or a system error
 */
export function openRegularFileSync (path: string, flags: number): number {
  const fd = openSync(path, flags | NONBLOCK | NOFOLLOW)

  if (fstatSync(fd).isFile()) {
    return fd
  }

  closeSync(fd)
  throw new Error(`${path} is not a regular file`)
}
