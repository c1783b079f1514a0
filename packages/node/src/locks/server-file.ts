import { randomUUID } from 'node:crypto'
import { readFile, readlink, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { readOwnFile } from '@ipfsz/utils/read-own-file'
import { retryWhileOpen } from '@ipfsz/utils/while-open'
import { isHeld } from './kernel-lock.ts'
import { locksIn } from './lock-files.ts'

/** The values of such a file. Only `readServerFile` has checked that `lock` is a name. */
export type ServerValues = Record<string, unknown>

/**
 * Write a file of a repo by which other processes find a server of this one.
 *
 * @param values - with its version, and as `lock` the name of the lock that the server holds while it runs
 * @param mode - who may read it, before the umask
 */
export async function writeServerFile (path: string, values: ServerValues, mode = 0o666): Promise<void> {
  const temporary = `${path}.${randomUUID()}`
  const content = { ...values, loopback: await loopback() }

  try {
    await writeFile(temporary, `${JSON.stringify(content)}\n`, { mode, flag: 'wx' })
    await retryWhileOpen(async () => rename(temporary, path))
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Read such a file, whether or not its server still runs. Undefined if there is none, or it is another user's. */
export async function readServerValues (path: string): Promise<ServerValues | undefined> {
  try {
    return JSON.parse(String(await readOwnFile(path))) as ServerValues
  } catch {
    return undefined
  }
}

/**
 * Find the server that has written such a file. Ignores one that was killed, and one in another network namespace:
 * there another process may have the port.
 *
 * @returns undefined if none can be reached
 */
export async function readServerFile (repo: string, path: string, version: number): Promise<ServerValues | undefined> {
  const values = await readServerValues(path) ?? {}
  const { lock, loopback: at } = values

  if (values.version !== version || typeof lock !== 'string' || basename(lock) !== lock || at !== await loopback()) {
    return undefined
  }

  try {
    return isHeld(join(locksIn(repo), lock)) ? values : undefined
  } catch {
    // the lock is another user's
    return undefined
  }
}

/** Identifies the loopback interface: by boot and network namespace on Linux, elsewhere by host name. */
async function loopback (): Promise<string> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1')

    return `${boot.trim()} ${await readlink('/proc/self/ns/net')}`
  } catch {
    return hostname()
  }
}
