import { setTimeout } from 'node:timers/promises'
import { DaemonRunningError } from '../errors.ts'
import { readLocks } from '../locks/lock-files.ts'
import { takeRepoLock } from '../repo/repo-lock.ts'
import type { LockFile } from '../lock-file.ts'
import type { OwnLock } from '../locks/lock-files.ts'

/** The kinds of lock that a daemon and a conversion of the blockstore hold. */
const DAEMON = 'daemon'
const CONVERT = 'convert'
/** How many times the lock is tried, and the least time between two tries, in milliseconds. */
const TRIES = 8
const INTERVAL = 40

/**
 * Makes this process the only daemon of a repo. The kernel releases the lock when the process ends,
 * however it ends. As in `repo-lock.ts`, each process creates its lock first and then looks for
 * others: of two that start at once both release theirs and try again after a random delay.
 * Waits while the blockstore is converted.
 *
 * @param onWaiting - called with the process that converts it
 * @throws {DaemonRunningError} another daemon has the repo
 * @throws {RepoError} the repo cannot be locked, for instance because it is read-only
 */
export async function lockDaemon (
  repo: string,
  signal: AbortSignal,
  onWaiting: (holder: LockFile) => void = () => {}
): Promise<OwnLock> {
  let isWaiting = false

  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    const own = await takeRepoLock(repo, DAEMON)
    const [other] = await othersOf(repo, own)

    if (other == null) {
      return own
    }

    await own.release()

    if (other.kind === CONVERT && !isWaiting) {
      isWaiting = true
      onWaiting(other)
    }

    tries = other.kind === CONVERT ? 0 : tries

    if (tries === TRIES) {
      throw new DaemonRunningError(repo, other)
    }

    await setTimeout(INTERVAL * (1 + Math.random()), undefined, { signal })
  }
}

/**
 * Keep daemons from starting while blocks are converted. A daemon reads the repo's compression
 * settings when it starts: with the old ones it would store blocks for as long as it runs.
 *
 * @throws {DaemonRunningError} a daemon runs
 * @throws {RepoError} the repo cannot be locked, for instance because it is read-only
 */
export async function lockOutDaemons (repo: string): Promise<OwnLock> {
  const own = await takeRepoLock(repo, CONVERT)
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
