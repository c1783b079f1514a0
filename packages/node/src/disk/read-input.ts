import { constants, createReadStream, read } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { TreeEntryError } from '../errors.ts'
import { closeFile, openFile, statFile } from './descriptors.ts'
import { withPath } from './target-errors.ts'
import type { BigIntStats } from 'node:fs'

/** How long to wait for bytes of a device before it is asked again, in milliseconds. */
const WAIT = 100

export interface ReadInputOptions {
  /** The most bytes of one read. Pipes give fewer. */
  readSize: number
  signal: AbortSignal
  /** Called with what was opened. */
  onOpened?: ((stats: BigIntStats) => void) | undefined
}

/** Examine a path of the command line that will be read. */
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

/** What a path leads to. Undefined if there is nothing, or it cannot be reached. */
export async function statIfThere (path: string): Promise<BigIntStats | undefined> {
  return stat(path, { bigint: true }).catch(() => undefined)
}

/** Read a file, pipe or device from its beginning. It is opened when it is read, and closed by the signal. */
export async function * readInput (
  path: string,
  stats: BigIntStats,
  options: ReadInputOptions
): AsyncGenerator<Uint8Array> {
  yield * await openInput(path, stats, options)
}

/**
 * Open a file, pipe or device. Nothing waits in a thread: that could not be stopped, and a process does not end before
 * its threads.
 *
 * @param stats - when it was examined
 * @returns a file as Node's stream
 */
export async function openInput (
  path: string,
  stats: BigIntStats,
  { readSize, signal, onOpened }: ReadInputOptions
): Promise<AsyncIterable<Uint8Array>> {
  signal.throwIfAborted()

  if (stats.isFIFO() && !canPoll()) {
    return createReadStream(path, { highWaterMark: readSize, signal })
  }

  const fd = await openFile(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const now = await statFile(fd, { bigint: true })

  if ((now.mode ^ stats.mode) & BigInt(constants.S_IFMT)) {
    await closeFile(fd)
    throw new TreeEntryError(path, 'was replaced by another program before it was read')
  }

  onOpened?.(now)

  if (now.isFIFO()) {
    return addAbortSignal(signal, new Socket({ fd, readable: true, writable: false }))
  }

  // files of /proc have no size, and some wait for bytes, as devices do
  if (now.isFile() && now.size > 0n) {
    // not named by Node, which reads the descriptor
    return createReadStream(path, { fd, highWaterMark: readSize, signal }).on('error', err => { named(err, path) })
  }

  return readWaiting(fd, path, { readSize, signal })
}

/** A system error with the path that was read. */
function named (err: unknown, path: string): unknown {
  return err instanceof Error && 'syscall' in err ? withPath(err, path) : err
}

/** Read what may have no bytes yet. */
async function * readWaiting (
  fd: number,
  path: string,
  { readSize, signal }: Pick<ReadInputOptions, 'readSize' | 'signal'>
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      signal.throwIfAborted()
      const buffer = Buffer.allocUnsafe(readSize)
      const bytesRead = await readFd(fd, buffer)

      if (bytesRead === 0) {
        return
      }

      if (bytesRead == null) {
        await setTimeout(WAIT, undefined, { signal })
      } else {
        yield buffer.subarray(0, bytesRead)
      }
    }
  } catch (err) {
    throw named(err, path)
  } finally {
    await closeFile(fd)
  }
}

/** Returns undefined if there is nothing to read yet. */
async function readFd (fd: number, buffer: Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    read(fd, buffer, 0, buffer.byteLength, null, (err, bytesRead) => {
      if (err == null || err.code === 'EAGAIN') {
        resolve(err == null ? bytesRead : undefined)
      } else {
        reject(err)
      }
    })
  })
}

/**
 * Whether a pipe that has had no writer yet is told from one that has none any more. Not on systems with kqueue, where
 * both have ended; and Bun and Deno have sockets of their own.
 */
function canPoll (): boolean {
  return process.platform === 'linux' && !('Bun' in globalThis || 'Deno' in globalThis)
}
