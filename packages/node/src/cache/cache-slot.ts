import { constants } from 'node:fs'
import { mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@ipfsz/utils/message-of'
import { makeRepoDirectory } from '../disk/repo-directory.ts'
import { RepoError } from '../errors.ts'
import { holdFile } from '../locks/kernel-lock.ts'
import { locksIn } from '../locks/lock-files.ts'
import { removeDirectory } from './remove-directory.ts'

/** How many gateways may fetch for one repo at once. */
const MAX_SLOTS = 64

/** A directory that no other process uses. */
export interface CacheSlot {
  directory: string
  release: () => Promise<void>
}

/** The directory of these caches in the repo. */
const CACHES = 'gateway-cache'

function cachesIn (repo: string): string {
  return join(repo, CACHES)
}

/**
 * Take a directory for what a gateway of a repo fetches. Each gateway that runs has one of its own: the first
 * `0`, another `1`. Those with higher numbers that no gateway uses any more are deleted in the background.
 *
 * The locks are not in the directory: it may be deleted at any time.
 *
 * @throws {RepoError} the repo cannot be written to, or too many gateways fetch for it
 */
export async function takeSlot (repo: string): Promise<CacheSlot> {
  try {
    await makeRepoDirectory(repo)
    await mkdir(locksIn(repo), { recursive: true })

    for (let slot = 0; slot < MAX_SLOTS; slot++) {
      const unlock = await hold(repo, slot)

      if (unlock != null) {
        return await openSlot(repo, slot, unlock)
      }
    }
  } catch (err) {
    throw err instanceof RepoError
      ? err
      : new RepoError(
        `The gateway cannot cache fetched blocks in ${cachesIn(repo)}: ${messageOf(err)}. Make the repo writable, ` +
          'or disable the cache with --cache none (daemon: --gateway-cache none)',
        { cause: err }
      )
  }

  throw new RepoError(`${MAX_SLOTS} gateways already use a cache in the repo ${repo}: stop one of them`)
}

async function openSlot (repo: string, slot: number, unlock: () => void): Promise<CacheSlot> {
  const directory = join(cachesIn(repo), String(slot))
  let stopped = false

  try {
    await mkdir(directory, { recursive: true })
  } catch (err) {
    unlock()
    throw err
  }

  const cleaning = removeUnused(repo, slot, () => stopped).catch(() => {})

  return {
    directory,
    async release () {
      stopped = true
      await cleaning
      unlock()
    }
  }
}

/** Creates no file through a symlink, and does not wait for the reader of a pipe. */
const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND |
  (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** @returns undefined if another process has it */
async function hold (repo: string, slot: number): Promise<(() => void) | undefined> {
  const path = join(locksIn(repo), `${CACHES}-${slot}`)

  // not created by SQLite: its errors do not say why it failed
  await (await open(path, APPEND)).close()

  return holdFile(path)
}

/** Delete the directories of higher slots that no gateway uses. Lower ones were in use when this slot was taken. */
async function removeUnused (repo: string, above: number, stopped: () => boolean): Promise<void> {
  for (const name of await readdir(cachesIn(repo))) {
    const unlock = /^\d{1,2}$/.test(name) && Number(name) > above ? await hold(repo, Number(name)) : undefined

    if (unlock != null) {
      try {
        await removeDirectory(join(cachesIn(repo), name), stopped)
      } finally {
        unlock()
      }
    }
  }
}
