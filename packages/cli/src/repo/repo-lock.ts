import { setTimeout } from 'node:timers/promises'
import { RepoError, RepoLockedError } from '../errors.ts'
import { readLocks, takeLock } from '../locks/lock-files.ts'
import type { OwnLock } from '../locks/lock-files.ts'

/** Those who add hold it together, garbage collection alone. */
export type LockKind = 'add' | 'gc'

/** How long is waited for others, in milliseconds: adding goes on when a collection is over. */
const PATIENCE: Readonly<Record<LockKind, number>> = { add: 10 * 60 * 1000, gc: 30 * 1000 }
/** Why nothing can be written to a repo, by the system's code. */
const READ_ONLY: Readonly<Record<string, string>> = {
  EROFS: 'its file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied'
}
/** How often it is looked whether they are done, in milliseconds. */
const INTERVAL = 50

/**
 * Keep adding and garbage collection apart: what is being added is pinned when all
 * of it is there, and until then nothing says that it is wanted.
 *
 * A lock is an empty file in `locks/` that its process holds, and that is free when the
 * process has ended. Everybody makes a file of their own first, and then looks who else
 * has one, so of two at least one sees the other.
 *
 * @param patience - how long to wait, in milliseconds
 * @returns what gives the lock back
 * @throws {RepoLockedError} others do not come to an end
 * @throws {RepoError} nothing can be written there
 */
export async function lockRepo (repo: string, kind: LockKind, signal: AbortSignal, patience = PATIENCE[kind]): Promise<() => Promise<void>> {
  const deadline = Date.now() + patience
  let own: OwnLock | undefined
  const giveBack = async (): Promise<void> => {
    await own?.release()
    own = undefined
  }

  try {
    for (;;) {
      signal.throwIfAborted()
      const mine = own ??= await take(repo, kind)
      let before = await readLocks(repo, kind === 'gc' ? ['add', 'gc'] : ['gc'], mine)

      if (before.length === 0) {
        if (kind === 'gc') {
          // deletes those of killed processes that nobody else looks at
          await readLocks(repo, ['convert', 'daemon'], mine)
        }

        return mine.release
      }

      // those who add give way to a collection, and of two collections the later name to the earlier
      if (kind === 'add' || before.some(other => other.kind === 'gc' && other.name < mine.name)) {
        await giveBack()
      }

      do {
        if (Date.now() > deadline) {
          throw new RepoLockedError(repo, before[0])
        }

        await setTimeout(INTERVAL, undefined, { signal })
        // who has given way only looks on: with a lock now and then, many would keep a collection from ever beginning
        before = own == null ? await readLocks(repo, ['gc']) : []
      } while (before.length > 0)
    }
  } catch (err) {
    // what went wrong first is what matters
    await giveBack().catch(() => {})
    throw err
  }
}

async function take (repo: string, kind: LockKind): Promise<OwnLock> {
  try {
    return await takeLock(repo, kind)
  } catch (err) {
    if (err instanceof RepoError) {
      throw err
    }

    const { code = '', message } = err as NodeJS.ErrnoException
    const reason = READ_ONLY[code]

    throw new RepoError(reason == null
      ? `Cannot lock the repo ${repo}: ${message}`
      : `Cannot write to the repo ${repo}: ${reason}. Make it writable, or name another repo with --repo`, { cause: err })
  }
}
