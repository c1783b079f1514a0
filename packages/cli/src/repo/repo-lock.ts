import { setTimeout } from 'node:timers/promises'
import { RepoError, RepoLockedError } from '../errors.ts'
import { readLocks, takeLock } from '../locks/lock-files.ts'
import type { OwnLock } from '../locks/lock-files.ts'

/** Many processes may hold 'add' at once. 'gc' excludes all others. */
export type LockKind = 'add' | 'gc'

/** How long to wait for other processes, in milliseconds. Adding outlasts a whole garbage collection. */
const LOCK_TIMEOUT: Readonly<Record<LockKind, number>> = { add: 10 * 60 * 1000, gc: 30 * 1000 }
/** Why a repo cannot be written to, by system error code. */
const READ_ONLY: Readonly<Record<string, string>> = {
  EROFS: 'its file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied'
}
/** How long to wait between two looks at the locks of others, in milliseconds. */
const POLL_INTERVAL = 50

/**
 * Keep adding and garbage collection apart. Blocks are pinned only when all of them are added, so until then garbage
 * collection would delete them.
 *
 * A lock is an empty file in `locks/` that a process holds and the kernel frees when the process ends. Each process
 * first makes its own file and then looks for others, so of two processes at least one sees the other.
 *
 * @param timeout - how long to wait for other processes, in milliseconds
 * @returns a function that releases the lock
 * @throws {RepoLockedError} another process still holds its lock after that time
 * @throws {RepoError} the repo cannot be locked, for instance because it is read-only
 */
export async function lockRepo (
  repo: string,
  kind: LockKind,
  signal: AbortSignal,
  timeout = LOCK_TIMEOUT[kind]
): Promise<() => Promise<void>> {
  const deadline = Date.now() + timeout
  let own: OwnLock | undefined
  const release = async (): Promise<void> => {
    await own?.release()
    own = undefined
  }

  try {
    for (;;) {
      signal.throwIfAborted()
      const mine = own ??= await takeRepoLock(repo, kind)
      let others = await readLocks(repo, kind === 'gc' ? ['add', 'gc'] : ['gc'], mine)

      if (others.length === 0) {
        if (kind === 'gc') {
          // deletes locks of killed processes, which no other process would check
          await readLocks(repo, ['convert', 'daemon', 'gateway'], mine)
        }

        return mine.release
      }

      // adding gives way to a collection; of two collections, the one with the later name gives way
      if (kind === 'add' || others.some(other => other.kind === 'gc' && other.name < mine.name)) {
        await release()
      }

      do {
        if (Date.now() > deadline) {
          throw new RepoLockedError(repo, others[0])
        }

        await setTimeout(POLL_INTERVAL, undefined, { signal })
        // after giving way, only look: if many adders took a lock now and then, no collection could ever begin
        others = own == null ? await readLocks(repo, ['gc']) : []
      } while (others.length > 0)
    }
  } catch (err) {
    // report the first error
    await release().catch(() => {})
    throw err
  }
}

/**
 * Hold a lock file of any kind.
 *
 * @throws {RepoError} the repo cannot be locked, for instance because it is read-only
 */
export async function takeRepoLock (repo: string, kind: string): Promise<OwnLock> {
  try {
    return await takeLock(repo, kind)
  } catch (err) {
    if (err instanceof RepoError) {
      throw err
    }

    const { code = '', message } = err as NodeJS.ErrnoException
    const reason = READ_ONLY[code]

    const text = reason == null
      ? `Cannot lock the repo ${repo}: ${message}`
      : `Cannot write to the repo ${repo}: ${reason}. Make it writable, or use another repo with --repo`

    throw new RepoError(text, { cause: err })
  }
}
