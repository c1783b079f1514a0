import * as fs from 'node:fs'
import { promisify } from 'node:util'

/*
 * Node's calls with callbacks, as promises. Those of `node:fs/promises` take half as much processor time again: each
 * file is a FileHandle, and each call makes more promises.
 */

export const openFile = promisify(fs.open)
export const closeFile = promisify(fs.close)
export const statPath = promisify(fs.stat)
export const statFile = promisify(fs.fstat)

/**
 * Read the next bytes of a file into an array, from `start` on.
 *
 * @returns how many, 0 at the end of the file
 */
export async function readBytes (file: number, bytes: Uint8Array, start: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(file, bytes, start, bytes.byteLength - start, null, (err, length) => {
      if (err == null) {
        resolve(length)
      } else {
        reject(err)
      }
    })
  })
}
