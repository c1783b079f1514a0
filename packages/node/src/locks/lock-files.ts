import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { holdFile, removeUnlessHeld } from './kernel-lock.ts'
import { makeRepoDirectory } from '../disk/repo-directory.ts'
import type { LockFile } from '../lock-file.ts'

/** Kind, pid, host name in hexadecimal, and a UUID. Older versions put the process's start time before the host. */
const NAME = /^([a-z]+)-(\d+)-(?:\d*-)?([0-9a-f]+)-[0-9a-f-]{36}$/

/** A lock that this process holds. */
export interface OwnLock {
  name: string
  release: () => Promise<void>
}

/** The directory of a repo's locks. */
export function locksIn (repo: string): string {
  return join(repo, 'locks')
}

/**
 * Create and hold a lock file with a new, unique name.
 *
 * @throws {RepoError} the file cannot be locked
 */
export async function takeLock (repo: string, kind: string): Promise<OwnLock> {
  const directory = locksIn(repo)
  await makeRepoDirectory(repo)
  await mkdir(directory, { recursive: true })

  for (;;) {
    const name = `${kind}-${process.pid}-${Buffer.from(hostname()).toString('hex') || '00'}-${randomUUID()}`
    const path = join(directory, name)

    // not created by SQLite: its errors do not say why it failed
    await (await open(path, 'wx')).close()
    const unlock = holdFile(path)

    // before it was locked, another process may have deleted it as abandoned
    if (unlock != null && existsSync(path)) {
      return {
        name,
        async release () {
          unlock()
          await remove(path)
        }
      }
    }

    unlock?.()
    await remove(path)
  }
}

/** Windows does not delete it while another process looks whether it is held: then the next one that looks does. */
async function remove (path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => {})
}

/**
 * The locks of some kinds that other processes hold, or are about to. Deletes lock files that no process holds,
 * including those of older versions.
 *
 * @param own - a lock of this process, to leave out
 * @throws {RepoError} a lock file cannot be checked
 */
export async function readLocks (repo: string, kinds: readonly string[], own?: OwnLock): Promise<LockFile[]> {
  const directory = locksIn(repo)
  const found: LockFile[] = []

  for (const name of await readdir(directory)) {
    const [, kind, pid, host] = NAME.exec(name) ?? []
    const path = join(directory, name)

    if (kind != null && kinds.includes(kind) && name !== own?.name && !await removeUnlessHeld(path)) {
      found.push({ name, path, kind, pid: Number(pid), host: Buffer.from(host, 'hex').toString() })
    }
  }

  return found
}
