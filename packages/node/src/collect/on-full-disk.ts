import { rm } from 'node:fs/promises'
import { fullDiskError, noteNeededBytes } from '@ipfsz/utils/system-error'
import { knownFilesIn } from '../repo/repo.ts'
import type { Repo } from '../repo/repo.ts'

/** What a collection writes besides blocks, as a part of a pack: groups, tables and index files. */
const OVERHEAD = 1 / 16
/** And for a small pack, 256 KiB. */
const LEAST_OVERHEAD = 256 * 1024

/**
 * Delete unpinned blocks on a disk that may be full to the last byte. Packs in which something is pinned are rewritten,
 * which takes space first. So if there is none, the record of unchanged files goes, as the next add can make it again.
 *
 * @param collect - can be called again after it failed for lack of space
 */
export async function onFullDisk<T> (repo: Repo, collect: () => Promise<T>): Promise<T> {
  try {
    return await collect()
  } catch (err) {
    if (!isFull(err) || repo.packs == null) {
      throw err
    }
  }

  await rm(knownFilesIn(repo.path), { recursive: true, force: true })

  try {
    return await collect()
  } catch (err) {
    if (isFull(err)) {
      noteNeededBytes(err, await neededBytes(repo))
    }

    throw err
  }
}

function isFull (err: unknown): err is Error {
  return err instanceof Error && fullDiskError(err) != null
}

/** The space for what is pinned in one pack. Its old copy is deleted before the next pack is rewritten. */
async function neededBytes (repo: Repo): Promise<number> {
  const { packs = [] } = await (await repo.packs?.())?.stats() ?? {}
  const sizes = packs.map(({ size }) => size + Math.max(size * OVERHEAD, LEAST_OVERHEAD))

  return Math.ceil(Math.max(...sizes, 0))
}
