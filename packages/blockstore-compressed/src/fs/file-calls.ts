import * as fs from 'node:fs'
import { promisify } from 'node:util'

/*
 * Node's calls with callbacks, as promises. Those of `node:fs/promises` take half as much processor time again: each
 * file is a FileHandle, and each call makes more promises.
 */

type Done<T> = (err: Error | null, value: T) => void
type Ended = (err?: Error | null) => void

/** Bytes of a write: Node takes no 2 GiB at once. */
const MAX_WRITE = 2 ** 30

// those that change files look their function up at each call: a test may have replaced it
export const openFile = promisify((path: string, flags: string | number, done: Done<number>) => {
  fs.open(path, flags, done)
})
export const closeFile = promisify((file: number, done: Ended) => { fs.close(file, done) })
export const syncData = promisify((file: number, done: Ended) => { fs.fdatasync(file, done) })
export const statPath = promisify(fs.stat)

/**
 * Write all bytes to a file, after those that were written before.
 *
 * @throws {TypeError} what is to be written are no bytes, or their memory was moved meanwhile
 */
export async function writeBytes (file: number, bytes: Uint8Array): Promise<void> {
  if (!ArrayBuffer.isView(bytes)) {
    throw new TypeError(`A file is written from bytes, not from ${typeof bytes}`)
  }

  const { byteLength } = bytes

  for (let written = 0; written < byteLength;) {
    if (bytes.byteLength !== byteLength) {
      throw new TypeError('The memory of the bytes was transferred while they were written')
    }

    written += await writeSome(file, bytes, written)
  }
}

const writeSome = promisify((file: number, bytes: Uint8Array, start: number, done: Done<number>) => {
  fs.write(file, bytes, start, Math.min(bytes.byteLength - start, MAX_WRITE), null, done)
})
