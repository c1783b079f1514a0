import { randomUUID } from 'node:crypto'
import { readFile, readlink, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { isHeld } from '../locks/kernel-lock.ts'
import { locksIn } from '../locks/lock-files.ts'
import { readOwnFile } from '@ipfsz/utils/read-own-file'
import { removeFile, retryWhileOpen } from '@ipfsz/utils/while-open'

const VERSION = 3

/** How commands reach the daemon of a repo: an HTTP server on 127.0.0.1. */
export interface DaemonAddress {
  pid: number
  port: number
  /** 256 random bits in hexadecimal. Every request must carry them. */
  token: string
}

/**
 * Writes the file by which commands find this daemon. Only the same user can read it.
 *
 * @param lock - the name of the lock that the daemon holds while it runs
 */
export async function writeDaemonFile (
  repo: string,
  { pid, port, token }: DaemonAddress,
  lock: string
): Promise<void> {
  const temporary = `${fileIn(repo)}.${randomUUID()}`
  const content = { version: VERSION, pid, lock, loopback: await loopback(), port, token }

  try {
    await writeFile(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' })
    await retryWhileOpen(async () => rename(temporary, fileIn(repo)))
  } finally {
    await rm(temporary, { force: true })
  }
}

export async function removeDaemonFile (repo: string): Promise<void> {
  await removeFile(fileIn(repo))
}

/**
 * Finds the running daemon of a repo. Ignores the file of a daemon that was killed, and that of a
 * daemon in another network namespace: there another process may have the port.
 *
 * @returns undefined if no daemon can be reached
 */
export async function readDaemonFile (repo: string): Promise<DaemonAddress | undefined> {
  let value: Record<string, unknown>

  try {
    value = JSON.parse(String(await readOwnFile(fileIn(repo)))) as Record<string, unknown>
  } catch {
    // there is no daemon, or it is another user's
    return undefined
  }

  const { version, pid, lock, loopback: at, port, token } = value ?? {}

  if (version !== VERSION || typeof pid !== 'number' || typeof port !== 'number') {
    return undefined
  }

  if (typeof lock !== 'string' || typeof token !== 'string') {
    return undefined
  }

  if (at !== await loopback() || basename(lock) !== lock || !isHeld(join(locksIn(repo), lock))) {
    return undefined
  }

  return { pid, port, token }
}

function fileIn (repo: string): string {
  return join(repo, 'daemon.json')
}

/** Identifies the loopback interface: by boot and network namespace on Linux, elsewhere by host name. */
export async function loopback (): Promise<string> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1')

    return `${boot.trim()} ${await readlink('/proc/self/ns/net')}`
  } catch {
    return hostname()
  }
}
