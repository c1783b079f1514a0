import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { S3CredentialsError } from '../errors.ts'
import type { FileHandle } from 'node:fs/promises'

/** How long to wait for what somebody writes to a pipe, in milliseconds. */
const DEFAULT_PIPE_TIMEOUT = 5000
/** How often to look for it, in milliseconds. */
const INTERVAL = 20
/** Files of profiles have a few kilobytes. */
const MAX_SIZE = 1024 * 1024
const READ_SIZE = 64 * 1024

/**
 * Read a named pipe to its end. It is opened without waiting for a writer: `open` would wait in a thread for as long as
 * there is none, and no signal ends that.
 *
 * @param timeout - in milliseconds; 5 s by default
 * @throws {S3CredentialsError} nobody writes to it, or does not close it, or it is too long
 */
export async function readPipe (path: string, timeout = DEFAULT_PIPE_TIMEOUT): Promise<string> {
  const end = performance.now() + timeout
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const pieces: Buffer[] = []
  let size = 0

  try {
    for (;;) {
      const piece = await readPiece(handle)

      if (piece != null && piece.byteLength > 0) {
        pieces.push(piece)
        size += piece.byteLength
      } else if (piece != null && size > 0) {
        return Buffer.concat(pieces).toString()
      } else if (performance.now() > end) {
        throw new S3CredentialsError(`${path} is a pipe, and nothing was written to it in ${timeout / 1000} s`)
      } else {
        await setTimeout(INTERVAL)
      }

      if (size > MAX_SIZE) {
        throw new S3CredentialsError(`${path} exceeds the limit of ${MAX_SIZE} bytes`)
      }
    }
  } finally {
    await handle.close()
  }
}

/** @returns nothing yet: undefined. At the end, and before there is a writer: no bytes */
async function readPiece (handle: FileHandle): Promise<Buffer | undefined> {
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(READ_SIZE) })

    return buffer.subarray(0, bytesRead)
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'EAGAIN') {
      return undefined
    }

    throw err
  }
}
