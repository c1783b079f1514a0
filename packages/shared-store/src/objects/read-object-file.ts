import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { readWholeFile } from '@ipfsz/utils/read-file'
import { StoreObjectError } from '../errors.ts'
import type { GetObjectOptions } from './object-store.ts'

/** Do not wait for a writer if this is a named pipe. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Read the file of an object, or a part of it.
 *
 * @throws {StoreObjectError} it is not a regular file
 */
export async function readObjectFile (
  key: string,
  file: string,
  { offset = 0, length = Infinity }: GetObjectOptions
): Promise<Uint8Array> {
  // a byte is asked for to learn whether the object is there
  const whole = offset === 0 && length > 1 ? await readWhole(key, file, length) : undefined

  return whole ?? readPart(key, file, offset, length)
}

/** Returns undefined if it is long. Takes fewer calls than a FileHandle: there are as many objects as pins. */
async function readWhole (key: string, file: string, length: number): Promise<Uint8Array | undefined> {
  try {
    return await readWholeFile(file, length === Infinity ? {} : { max: length })
  } catch (err) {
    throw (err as NodeJS.ErrnoException).code === 'EISDIR' ? notRegular(key, err) : err
  }
}

async function readPart (key: string, file: string, offset: number, length: number): Promise<Uint8Array> {
  const handle = await open(file, READ)

  try {
    const stats = await handle.stat()

    if (!stats.isFile()) {
      throw notRegular(key)
    }

    const bytes = Buffer.alloc(Math.max(0, Math.min(length, stats.size - offset)))
    let filled = 0

    for (let bytesRead = 1; filled < bytes.length && bytesRead > 0; filled += bytesRead) {
      ({ bytesRead } = await handle.read(bytes, { offset: filled, position: offset + filled }))
    }

    return bytes.subarray(0, filled)
  } finally {
    await handle.close()
  }
}

function notRegular (key: string, cause?: unknown): StoreObjectError {
  return new StoreObjectError(key, 'it is not a regular file', cause == null ? undefined : { cause })
}
