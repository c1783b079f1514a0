import { constants } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

/** A file of more bytes is no block that anybody sends, and comes in pieces: 32 MiB. */
const MAX_CHUNK_SIZE = 32 * 1024 * 1024

/** Not to wait for whoever writes into what is no file but a pipe. Windows has no such pipes. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * The bytes of a file, undefined where it is too large for that. Each step is a way to a
 * thread and back, behind what the codecs have there: `readFile` of the handle would ask
 * for the size once more.
 */
export async function readWhole (file: string, signal: AbortSignal | null | undefined): Promise<Uint8Array | undefined> {
  const handle = await open(file, READ)

  try {
    const stats = await handle.stat()

    if (!stats.isFile()) {
      throw new Error('it is no regular file')
    }

    return stats.size > MAX_CHUNK_SIZE ? undefined : await readBytes(handle, stats.size, signal)
  } finally {
    await handle.close()
  }
}

/** As many bytes, or fewer where the file ends before. */
async function readBytes (handle: FileHandle, size: number, signal: AbortSignal | null | undefined): Promise<Uint8Array> {
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

/** Whether a file is there and has these bytes. No other is read. */
export async function hasBytes (file: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const stats = await stat(file)

    return stats.isFile() && stats.size === bytes.byteLength && (await readFile(file)).equals(bytes)
  } catch {
    return false
  }
}
