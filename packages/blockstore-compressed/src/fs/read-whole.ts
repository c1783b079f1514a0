import { constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { closeFile, openFile, readBytes, statFile, statPath } from './file-calls.ts'

/** Larger files are streamed, 32 MiB: no block that nodes exchange is as large. */
const MAX_CHUNK_SIZE = 32 * 1024 * 1024

/** Non-blocking: to open a named pipe would wait for its writer otherwise. Windows has no such pipes. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Read a file with as few calls as possible: each goes through the thread pool, behind the
 * work of the codecs. (`readFile` would ask for more.)
 *
 * @returns undefined if the file has more than 32 MiB
 */
export async function readWhole (
  file: string,
  signal: AbortSignal | null | undefined
): Promise<Uint8Array | undefined> {
  const opened = await openFile(file, READ)

  try {
    const stats = await statFile(opened)

    if (!stats.isFile()) {
      // with a code, so that the block counts as lost, and is fetched again
      throw Object.assign(new Error(`${file} is not a regular file`), { code: 'EISDIR' })
    }

    return stats.size > MAX_CHUNK_SIZE ? undefined : await readAll(opened, stats.size, signal)
  } finally {
    // not awaited: it would wait behind the work of the codecs too
    closeFile(opened).catch(() => {})
  }
}

/** Reads `size` bytes, or fewer if the file ends earlier. */
async function readAll (
  file: number,
  size: number,
  signal: AbortSignal | null | undefined
): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(size)
  let filled = 0

  while (filled < size) {
    signal?.throwIfAborted()
    const length = await readBytes(file, bytes, filled)

    if (length === 0) {
      break
    }

    filled += length
  }

  return bytes.subarray(0, filled)
}

/** Whether a file exists and has these bytes. A file of another size is not read. */
export async function hasBytes (file: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const stats = await statPath(file)

    return stats.isFile() && stats.size === bytes.byteLength && (await readFile(file)).equals(bytes)
  } catch {
    return false
  }
}
