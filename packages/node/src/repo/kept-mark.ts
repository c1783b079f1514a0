import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { readOwnFile } from '@ipfsz/utils/read-own-file'
import { decodeMark, encodeMark } from '@ipfsz/shared-store/places'
import type { StoreMark } from '@ipfsz/shared-store/places'

/** The directory, in that of a repo, of what is kept of a store over the network. It may be deleted at any time. */
export function storeCacheIn (repo: string): string {
  return join(repo, 'store-cache')
}

/** The mark of the store as it was last seen. Undefined: nothing of a store is kept, or it is damaged. */
export async function readKeptMark (repo: string): Promise<StoreMark | undefined> {
  try {
    const bytes = await readOwnFile(fileIn(repo))

    return bytes == null ? undefined : decodeMark(bytes, repo)
  } catch {
    return undefined
  }
}

/** Keep the mark of the store, so that what is kept of it can be read while the store is away. */
export async function keepMark (repo: string, mark: StoreMark): Promise<void> {
  const bytes = encodeMark(mark)
  const before = await readOwnFile(fileIn(repo)).catch(() => undefined)

  if (before?.equals(bytes) !== true) {
    await writeAtomic(fileIn(repo), bytes, { temporary: `${fileIn(repo)}.${randomUUID()}`, sync: false })
  }
}

function fileIn (repo: string): string {
  return join(storeCacheIn(repo), 'mark.json')
}
