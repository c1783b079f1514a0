import { setTimeout } from 'node:timers/promises'
import { DaemonRunningError, RepoLockedError } from '../errors.ts'
import { readLocks, takeLock } from '../lock-files.ts'
import type { LockFile, OwnLock } from '../lock-files.ts'

/** The kinds of the locks of a daemon, and of a conversion of the blocks that it stores. */
const DAEMON = 'daemon'
const CONVERT = 'convert'
/** How often it is tried where another has or wants the repo, and how long between, in milliseconds. */
const TRIES = 8
const INTERVAL = 40

/**
 * Be the only daemon of a repo. The lock ends with the process, however that ends.
 * As with the locks of `repo-lock.ts` everybody makes a file first and looks for
 * others then; of two that begin at one time both give way, for a while of their own.
 *
 * @throws {DaemonRunningError} there is one
 * @throws {RepoLockedError} the blocks are being converted
 */
export async function lockDaemon (repo: string, signal: AbortSignal): Promise<OwnLock> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    const own = await takeLock(repo, DAEMON)
    const [other] = await othersOf(repo, own)

    if (other == null) {
      return own
    }

    await own.release()

    if (tries === TRIES) {
      throw other.kind === CONVERT ? new RepoLockedError(repo, other) : new DaemonRunningError(repo, other)
    }

    await setTimeout(INTERVAL * (1 + Math.random()), undefined, { signal })
  }
}

/**
 * Keep daemons from starting while blocks are converted: one that had read before how
 * they are stored would store so for as long as it runs.
 *
 * @throws {DaemonRunningError} there is one
 */
export async function lockOutDaemons (repo: string): Promise<OwnLock> {
  const own = await takeLock(repo, CONVERT)
  const [daemon] = await othersOf(repo, own)

  if (daemon == null) {
    return own
  }

  await own.release()
  throw new DaemonRunningError(repo, daemon)
}

async function othersOf (repo: string, own: OwnLock): Promise<LockFile[]> {
  try {
    return await readLocks(repo, [DAEMON, CONVERT], own)
  } catch (err) {
    await own.release()
    throw err
  }
}
