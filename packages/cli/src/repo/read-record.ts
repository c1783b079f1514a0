import { constants, open } from 'node:fs/promises'

/**
 * The bytes of a file that anybody may have written, or undefined if there is no such file.
 *
 * @throws {TypeError} it is too large, or not a regular file
 */
export async function readRecord (file: string, maxSize: number): Promise<Uint8Array | undefined> {
  let handle

  try {
    // do not wait for a writer if this is a named pipe
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined
    }

    throw err
  }

  try {
    const stats = await handle.stat()
    const { size } = stats

    if (!stats.isFile()) {
      throw new TypeError('it is not a regular file')
    }

    if (size > maxSize) {
      throw new TypeError(`it has ${size} bytes, and at most ${maxSize} are allowed`)
    }

    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
