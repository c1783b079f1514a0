import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { DaemonRunningError } from '../errors.ts'
import { locksIn, newLockName, readLocks } from '../lock-files.ts'

const KIND = 'daemon'
/** How often it is tried where another daemon has or wants the repo, and how long between, in milliseconds. */
const TRIES = 8
const INTERVAL = 40

/**
 * Be the only daemon of a repo. The lock ends with the process, however that ends.
 * As with the locks of `repo-lock.ts` everybody makes a file first and looks for
 * others then; of two that begin at one time both give way, for a while of their own.
 *
 * @returns what gives the lock back
 * @throws {DaemonRunningError} there is one
 */
export async function lockDaemon (repo: string, signal: AbortSignal): Promise<() => Promise<void>> {
  const directory = locksIn(repo)
  await mkdir(directory, { recursive: true })

  for (let tries = 1; ; tries++) {
    signal.throwIfAborted()
    const own = newLockName(KIND)
    const release = async (): Promise<void> => { await rm(join(directory, own), { force: true }) }

    await (await open(join(directory, own), 'a')).close()
    const other = (await readLocks(directory, [KIND])).find(({ name }) => name !== own)

    if (other == null) {
      return release
    }

    await release()

    if (tries === TRIES) {
      throw new DaemonRunningError(repo, other.pid)
    }

    await setTimeout(INTERVAL * (1 + Math.random()), undefined, { signal })
  }
}
