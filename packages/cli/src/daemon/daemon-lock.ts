import { setTimeout } from 'node:timers/promises'
import { DaemonRunningError } from '../errors.ts'
import { readLocks, takeLock } from '../lock-files.ts'
import type { OwnLock } from '../lock-files.ts'

/** The kind of lock that a daemon holds. */
export const DAEMON = 'daemon'
/** How often the lock is tried, and the least time between two tries, in milliseconds. */
const TRIES = 8
const INTERVAL = 40

/**
 * Makes this process the only daemon of a repo. The kernel releases the lock when the process ends,
 * however it ends. As in `repo-lock.ts`, each process creates its lock first and then looks for
 * others: of two that start at once both release theirs and try again after a random delay.
 *
 * @throws {DaemonRunningError} another daemon has the repo
 */
export async function lockDaemon (repo: string, signal: AbortSignal): Promise<OwnLock> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    const own = await takeLock(repo, DAEMON)
    const [other] = await readLocks(repo, [DAEMON], own)

    if (other == null) {
      return own
    }

    await own.release()

    if (tries === TRIES) {
      throw new DaemonRunningError(repo, other)
    }

    await setTimeout(INTERVAL * (1 + Math.random()), undefined, { signal })
  }
}
