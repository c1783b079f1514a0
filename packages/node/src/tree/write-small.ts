import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { modeToCreate, NEW_FILE_MODE, restoreFileSync } from '../disk/restore-metadata.ts'
import type { Metadata } from '../disk/restore-metadata.ts'

/**
 * Write a new file at once. Does not follow symlinks.
 *
 * @returns whether it is written. If not, there is nothing of it: the ordinary way meets the same error, and reports it
 */
export function writeSmall (path: string, bytes: Uint8Array, metadata: Metadata): boolean {
  let fd: number

  try {
    // fails if anything has this path, even a symlink to nowhere
    fd = openSync(path, 'wx', modeToCreate(metadata, NEW_FILE_MODE))
  } catch {
    return false
  }

  try {
    for (let done = 0; done < bytes.byteLength;) {
      done += writeSync(fd, bytes, done)
    }

    restoreFileSync(fd, metadata)

    return true
  } catch {
    remove(path)

    return false
  } finally {
    closeSync(fd)
  }
}

function remove (path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // then it stays in the way, and whoever writes it says so
  }
}
