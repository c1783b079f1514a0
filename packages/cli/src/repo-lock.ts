import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { RepoError, RepoLockedError } from './errors.ts'
import { locksIn, newLockName, readLocks } from './lock-files.ts'

/** Those who add hold it together, garbage collection alone. */
export type LockKind = 'add' | 'gc'

/** How long is waited for others, in milliseconds: adding goes on when a collection is over. */
const PATIENCE: Readonly<Record<LockKind, number>> = { add: 10 * 60 * 1000, gc: 30 * 1000 }
/** How often it is looked whether they are done, in milliseconds. */
const INTERVAL = 50

const KINDS: readonly LockKind[] = ['add', 'gc']

/**
 * Keep adding and garbage collection apart: what is being added is pinned when all
 * of it is there, and until then nothing says that it is wanted.
 *
 * A lock is an empty file in `locks/`, whose name says who holds it. Everybody makes
 * a file of their own first, and then looks who else has one, so of two at least
 * one sees the other. No file is ever used again, so that of a dead process can be
 * deleted by whoever sees it.
 *
 * @param patience - how long to wait, in milliseconds
 * @returns what gives the lock back
 * @throws {RepoLockedError} others do not come to an end
 * @throws {RepoError} nothing can be written there
 */
export async function lockRepo (repo: string, kind: LockKind, signal: AbortSignal, patience = PATIENCE[kind]): Promise<() => Promise<void>> {
  const directory = locksIn(repo)
  const own = newLockName(kind)
  const deadline = Date.now() + patience
  const release = async (): Promise<void> => { await rm(join(directory, own), { force: true }) }

  try {
    for (;;) {
      signal.throwIfAborted()
      await writeLock(repo, own)
      const others = (await readLocks(directory, KINDS)).filter(({ name }) => name !== own)
      const before = others.filter(other => other.kind === 'gc' || kind === 'gc')

      if (before.length === 0) {
        return release
      }

      if (Date.now() > deadline) {
        throw new RepoLockedError(repo, before[0].kind as LockKind, before[0].pid, join(directory, before[0].name))
      }

      // those who add give way to a collection, and of two collections the later name to the earlier
      if (kind === 'add' || before.some(other => other.kind === 'gc' && other.name < own)) {
        await release()
      }

      await setTimeout(INTERVAL, undefined, { signal })
    }
  } catch (err) {
    // what went wrong first is what matters
    await release().catch(() => {})
    throw err
  }
}

async function writeLock (repo: string, name: string): Promise<void> {
  const directory = locksIn(repo)

  try {
    await mkdir(directory, { recursive: true })
    await (await open(join(directory, name), 'a')).close()
  } catch (err) {
    throw new RepoError(`The repo ${repo} cannot be opened: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
  }
}
