import { opendir, readdir } from 'node:fs/promises'
import { StoreObjectError } from '../errors.ts'
import type { Dirent } from 'node:fs'

/**
 * Read the names in a directory of a store. With `most`, not into endless memory.
 *
 * @param init.key - what the keys of its objects begin with
 * @throws {StoreObjectError} there are more than `most`
 */
export async function readDirectory (
  path: string,
  { key, most }: { key: string, most: number | undefined }
): Promise<Dirent[]> {
  if (most == null) {
    return readdir(path, { withFileTypes: true })
  }

  const entries: Dirent[] = []

  // leaving the loop closes the directory
  for await (const entry of await opendir(path)) {
    if (entries.push(entry) > most) {
      throw new StoreObjectError(`${key}${entry.name}`, `there are more than ${most} objects below ${key}`)
    }
  }

  return entries
}
