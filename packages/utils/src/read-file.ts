import type * as Fs from 'node:fs'

type Done<T> = (err: Error | null, value: T) => void

interface ReadFileOptions {
  /**
   * Larger files are not read.
   *
   * @default 33554432
   */
  max?: number | undefined
  signal?: AbortSignal | null | undefined
}

/** 32 MiB: no block that nodes exchange is as large. */
const MAX_SIZE = 32 * 1024 * 1024

/** Node's files, without an import that bundlers for browsers would look for. */
export function nodeFiles (): typeof Fs | undefined {
  return (globalThis.process as Partial<NodeJS.Process> | undefined)?.getBuiltinModule?.('node:fs')
}

/**
 * Read a file with as few calls as possible: each goes through the thread pool, behind the work of the codecs.
 * (`readFile` would ask for more, and promises of `node:fs/promises` take half as much processor time again.)
 *
 * @returns undefined if the file has more than `max` bytes, or there are no files here
 */
export async function readWholeFile (
  file: string,
  { max = MAX_SIZE, signal }: ReadFileOptions = {}
): Promise<Uint8Array | undefined> {
  const fs = nodeFiles()

  if (fs == null) {
    return undefined
  }

  // non-blocking: to open a named pipe would wait for its writer otherwise. Windows has no such pipes
  const { O_RDONLY, O_NONBLOCK = 0 } = fs.constants as Partial<typeof Fs.constants> & { O_RDONLY: number }
  const opened = await call<number>(done => { fs.open(file, O_RDONLY | O_NONBLOCK, done) })

  try {
    const stats = await call<Fs.Stats>(done => { fs.fstat(opened, done) })

    if (!stats.isFile()) {
      // with a code, so that a block counts as lost, and is fetched again
      throw Object.assign(new Error(`${file} is not a regular file`), { code: 'EISDIR' })
    }

    return stats.size > max ? undefined : await readAll(fs, opened, stats.size, signal)
  } finally {
    // not awaited: it would wait behind the work of the codecs too
    fs.close(opened, () => {})
  }
}

/** Reads `size` bytes, or fewer if the file ends earlier. */
async function readAll (
  fs: typeof Fs,
  file: number,
  size: number,
  signal: AbortSignal | null | undefined
): Promise<Uint8Array> {
  // not zeroed, but a plain array: `slice` of a Buffer does not copy
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(size).buffer)
  let filled = 0

  while (filled < size) {
    signal?.throwIfAborted()
    const length = await call<number>(done => { fs.read(file, bytes, filled, size - filled, null, done) })

    if (length === 0) {
      break
    }

    filled += length
  }

  return bytes.subarray(0, filled)
}

async function call<T> (start: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((err, value) => {
      if (err == null) {
        resolve(value)
      } else {
        reject(err)
      }
    })
  })
}
