import { randomUUID } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory, writeAtomic } from '@ipfsz/blockstore-compressed/fs'
import { messageOf } from '@ipfsz/utils/message-of'
import { RepoError } from './errors.ts'
import { readOwnFile } from '@ipfsz/utils/read-own-file'
import { pathOf } from './objects/object-names.ts'
import { MARK_KEY } from './places/store-mark.ts'

/** Which store a repo keeps its blocks, pins, links and histories in. */
export interface StoreReference {
  /** A directory, or a URL that begins with s3://. */
  store: string
  /** The id in the mark of the store. */
  id: string
  /**
   * Size of the local cache for a store over the network, in bytes. 0 for none.
   *
   * @default 10737418240, and at most half of the space that is free without them
   */
  cache?: number | undefined
}

/**
 * Read which store a repo uses. Undefined if it keeps everything itself.
 *
 * @throws {RepoError} the file cannot be read or is damaged, or the repo is a store
 */
export async function readReference (repo: string): Promise<StoreReference | undefined> {
  let bytes: Buffer | undefined

  try {
    bytes = await readOwnFile(fileIn(repo))
  } catch (err) {
    if (err instanceof Error && 'code' in err && err.code === 'ENOTDIR') {
      return checkIsNoStore(repo)
    }

    // not to be deleted: it may be whole, and belong to another user
    throw new RepoError(`Cannot read the repo ${repo}: ${messageOf(err)}`, { cause: err })
  }

  if (bytes == null) {
    return checkIsNoStore(repo)
  }

  try {
    const { store, id, cache } = JSON.parse(String(bytes)) as Record<string, unknown>

    if (typeof store !== 'string' || typeof id !== 'string') {
      throw new TypeError('store or id is missing')
    }

    if (cache == null) {
      return { store, id }
    }

    if (!Number.isSafeInteger(cache) || Number(cache) < 0) {
      throw new TypeError('cache is not a number of bytes')
    }

    return { store, id, cache: Number(cache) }
  } catch (err) {
    throw new RepoError(
      `Cannot read from ${fileIn(repo)} which store the repo ${repo} uses (${messageOf(err)})`,
      { cause: err, problem: 'bad-reference' }
    )
  }
}

/**
 * A store has a directory of blocks, too, and its pins elsewhere: a garbage collection of a repo would delete them all.
 *
 * @throws {RepoError} it is one
 */
async function checkIsNoStore (repo: string): Promise<undefined> {
  const mark = await lstat(join(repo, pathOf(MARK_KEY))).catch(() => undefined)

  if (mark != null) {
    throw new RepoError(
      `${repo} is not a repo, but a shared store: each node uses it through its own repo`,
      { problem: 'is-store', place: repo }
    )
  }

  return undefined
}

/** Set which store a repo uses. Atomic, and durable when it returns. */
export async function writeReference (repo: string, { store, id, cache }: StoreReference): Promise<void> {
  const temporary = `${fileIn(repo)}.${randomUUID()}`

  await writeAtomic(fileIn(repo), Buffer.from(`${JSON.stringify({ store, id, cache })}\n`), { temporary, sync: true })
  await syncDirectory(repo)
}

function fileIn (repo: string): string {
  return join(repo, 'store.json')
}
