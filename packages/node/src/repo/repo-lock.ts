import { setTimeout } from 'node:timers/promises'
import { RepoError, RepoLockedError } from '../errors.ts'
import { readLocks, takeLock } from '../locks/lock-files.ts'
import type { LockFile } from '../lock-file.ts'
import type { OwnLock } from '../locks/lock-files.ts'

/** Many processes may hold 'add' at once. 'gc' excludes all others. */
export type LockKind = 'add' | 'gc'

/** After how long a note says which process is waited for, in milliseconds: most adds end sooner. */
const QUIET = 1000
/** Why a repo cannot be written to, by system error code. */
const READ_ONLY: Readonly<Record<string, string>> = {
  EROFS: 'its file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied'
}
/** How long to wait between two looks at the locks of others, in milliseconds. */
const POLL_INTERVAL = 50

export interface LockRepoOptions {
  /**
   * How long to wait for other processes, in milliseconds.
   *
   * @default as long as they live
   */
  timeout?: number | undefined
  /** Called with each process that keeps this one waiting for more than a second. */
  onWaiting?: ((holder: LockFile) => void) | undefined
}

/**
 * Keep adding and garbage collection apart. Blocks are pinned only when all of them are added, so until then garbage
 * collection would delete them.
 *
 * A lock is an empty file in `locks/` that a process holds and the kernel frees when the process ends: nobody waits for
 * one that is dead. Each process first makes its own file and then looks for others, so of two processes at least one
 * sees the other.
 *
 * @returns a function that releases the lock
 * @throws {RepoLockedError} another process still holds its lock after that time
 * @throws {RepoError} the repo cannot be locked, for instance because it is read-only
 */
export async function lockRepo (
  repo: string,
  kind: LockKind,
  signal: AbortSignal,
  { timeout = Number.POSITIVE_INFINITY, onWaiting = () => {} }: LockRepoOptions = {}
): Promise<() => Promise<void>> {
  const begin = Date.now()
  const told = new Set<string>()
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
        const [holder] = others
        const waited = Date.now() - begin

        if (waited > timeout) {
          throw new RepoLockedError(repo, holder)
        }

        // one that waits for the same process takes a new lock now and then
        if (waited > QUIET && !told.has(`${holder.host} ${holder.pid}`)) {
          told.add(`${holder.host} ${holder.pid}`)
          onWaiting(holder)
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

/** Hold a lock file of any kind. */
export async function takeRepoLock (repo: string, kind: string): Promise<OwnLock> {
  try {
    return await takeLock(repo, kind)
  } catch (err) {
    if (err instanceof RepoError) {
      throw err
    }

    const { code = '', message } = err as NodeJS.ErrnoException
    const reason = READ_ONLY[code]

    throw reason == null
      ? new RepoError(`Cannot lock the repo ${repo}: ${message}`, { cause: err })
      : new RepoError(`Cannot write to the repo ${repo}: ${reason}`, { cause: err, problem: 'read-only' })
  }
}
