import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { holdFile, removeUnlessHeld } from './kernel-lock.ts'
import { makeRepoDirectory } from '../disk/repo-directory.ts'
import type { LockFile } from './lock-file.ts'

/** Kind, pid, host in hexadecimal and a UUID. Before the host older versions had when the process began. */
const NAME = /^([a-z]+)-(\d+)-(?:\d*-)?([0-9a-f]+)-[0-9a-f-]{36}$/

/** A lock of this process. */
export interface OwnLock {
  name: string
  release: () => Promise<void>
}

/** Where the locks of a repo are. */
export function locksIn (repo: string): string {
  return join(repo, 'locks')
}

/**
 * Make a lock under a name that no other has or had.
 *
 * @throws {Error} of the system: nothing can be written there
 * @throws {RepoError} no lock can be had there
 */
export async function takeLock (repo: string, kind: string): Promise<OwnLock> {
  const directory = locksIn(repo)
  await makeRepoDirectory(repo)
  await mkdir(directory, { recursive: true })

  for (;;) {
    const name = `${kind}-${process.pid}-${Buffer.from(hostname()).toString('hex') || '00'}-${randomUUID()}`
    const path = join(directory, name)

    // not left to SQLite, which does not say why it cannot
    await (await open(path, 'wx')).close()
    const letGo = holdFile(path)

    // before it was held, others may have taken it for that of a dead process
    if (letGo != null && existsSync(path)) {
      return {
        name,
        async release () {
          letGo()
          await rm(path, { force: true })
        }
      }
    }

    letGo?.()
    await rm(path, { force: true })
  }
}

/**
 * The locks of these kinds that other processes hold or want. Files that no process
 * holds are deleted, those of older versions among them.
 *
 * @throws {RepoError} it cannot be told whether one is held
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
