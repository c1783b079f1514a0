import { constants } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

/** Larger files are streamed, 32 MiB: no block that nodes exchange is as large. */
const MAX_CHUNK_SIZE = 32 * 1024 * 1024

/** Non-blocking: to open a named pipe would wait for its writer otherwise. Windows has no such pipes. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Read a file with as few calls as possible: each goes through the thread pool, behind the
 * work of the codecs. (`handle.readFile` would ask for the size once more.)
 *
 * @returns undefined if the file has more than 32 MiB
 */
export async function readWhole (
  file: string,
  signal: AbortSignal | null | undefined
): Promise<Uint8Array | undefined> {
  const handle = await open(file, READ)

  try {
    const stats = await handle.stat()

    if (!stats.isFile()) {
      // with a code, so that the block counts as lost, and is fetched again
      throw Object.assign(new Error(`${file} is not a regular file`), { code: 'EISDIR' })
    }

    return stats.size > MAX_CHUNK_SIZE ? undefined : await readBytes(handle, stats.size, signal)
  } finally {
    await handle.close()
  }
}

/** Reads `size` bytes, or fewer if the file ends earlier. */
async function readBytes (
  handle: FileHandle,
  size: number,
  signal: AbortSignal | null | undefined
): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(size)
  let filled = 0

  while (filled < size) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(bytes, filled, size - filled)

    if (bytesRead === 0) {
      break
    }

    filled += bytesRead
  }

  return bytes.subarray(0, filled)
}

/** Whether a file exists and has these bytes. A file of another size is not read. */
export async function hasBytes (file: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const stats = await stat(file)

    return stats.isFile() && stats.size === bytes.byteLength && (await readFile(file)).equals(bytes)
  } catch {
    return false
  }
}
