import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { readAtMost } from '../read-at-most.ts'

/** Non-blocking: to open a named pipe would wait for its writer otherwise. Windows has no such pipes. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Read a file of another program, which may be anything: a named pipe or a device never ends.
 *
 * @param max - the most bytes
 * @throws {Error} it cannot be read, is not a regular file, or is larger
 */
export async function readRegularFile (path: string, max: number, signal?: AbortSignal | null): Promise<Buffer> {
  signal?.throwIfAborted()
  const handle = await open(path, READ)

  try {
    if (!(await handle.stat()).isFile()) {
      throw new Error(`${path} is not a regular file`)
    }

    return await readAtMost(
      handle.createReadStream({ autoClose: false, highWaterMark: 1024 * 1024, ...signal == null ? {} : { signal } }),
      max,
      () => new Error(`${path} has more than ${max} bytes`)
    )
  } finally {
    await handle.close()
  }
}
