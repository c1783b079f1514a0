import { setTimeout } from 'node:timers/promises'
import { DaemonRunningError } from '../errors.ts'
import { readLocks, takeLock } from '../lock-files.ts'
import type { OwnLock } from '../lock-files.ts'

/** The kind of its lock. */
export const DAEMON = 'daemon'
/** How often it is tried where another daemon has or wants the repo, and how long between, in milliseconds. */
const TRIES = 8
const INTERVAL = 40

/**
 * Be the only daemon of a repo. The lock ends with the process, however that ends.
 * As with the locks of `repo-lock.ts` everybody makes a file first and looks for
 * others then; of two that begin at one time both give way, for a while of their own.
 *
 * @throws {DaemonRunningError} there is one
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
