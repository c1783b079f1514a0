import { constants, createReadStream, openSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { TreeEntryError } from '../errors.ts'
import type { BigIntStats } from 'node:fs'

export interface ReadInputOptions {
  /** The most bytes of one read. Pipes give fewer. */
  readSize: number
  signal: AbortSignal
}

/**
 * Examine a path of the command line that will be read.
 *
 * @throws {TreeEntryError} its name is not UTF-8, or it is a socket
 */
export async function statInput (path: string): Promise<BigIntStats> {
  const stats = await stat(path, { bigint: true }).catch((cause: NodeJS.ErrnoException) => {
    // what Node puts in the place of bytes of an argument that are not UTF-8
    throw cause.code === 'ENOENT' && path.includes('\ufffd')
      ? new TreeEntryError(path, 'not found. If its name is not UTF-8, which UnixFS requires, rename it', { cause })
      : cause
  })

  if (stats.isSocket()) {
    throw new TreeEntryError(path, 'is a socket, which cannot be read: pass a file, directory or pipe')
  }

  return stats
}

/** Examine a path once more, after it was read. Undefined: it was deleted meanwhile, or cannot be reached. */
export async function statAgain (path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch(() => undefined)
}

/** Read a file, pipe or device from its beginning. It is opened when it is read, and closed by the signal. */
export async function * readInput (
  path: string,
  stats: Pick<BigIntStats, 'isFIFO'>,
  { readSize, signal }: ReadInputOptions
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted()

  yield * stats.isFIFO() && canPoll()
    ? addAbortSignal(signal, openPipe(path))
    : createReadStream(path, { highWaterMark: readSize, signal })
}

/**
 * A named pipe that is waited for without a thread: one that waits for a writer cannot be stopped, and a process does
 * not end before its threads.
 */
function openPipe (path: string): Socket {
  return new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false })
}

/**
 * Whether a pipe that has had no writer yet is told from one that has none any more. Not on systems with kqueue, where
 * both have ended; and Bun and Deno have sockets of their own.
 */
function canPoll (): boolean {
  return process.platform === 'linux' && !('Bun' in globalThis || 'Deno' in globalThis)
}
