import { randomUUID } from 'node:crypto'
import { readFile, readlink, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { isHeld } from '../kernel-lock.ts'
import { locksIn } from '../lock-files.ts'

const VERSION = 2

/** How commands reach the daemon of a repo. */
export interface DaemonAddress {
  pid: number
  /** On 127.0.0.1. */
  port: number
  /** 256 random bits in hexadecimal, which whoever asks must know. */
  token: string
}

/**
 * Tell commands of the same user about this process. Others cannot read the file.
 *
 * @param lock - the name of the lock that it holds while it runs
 */
export async function writeDaemonFile (repo: string, { pid, port, token }: DaemonAddress, lock: string): Promise<void> {
  const temporary = `${fileIn(repo)}.${randomUUID()}`

  try {
    await writeFile(temporary, `${JSON.stringify({ version: VERSION, pid, lock, loopback: await loopback(), port, token })}\n`, { mode: 0o600, flag: 'wx' })
    await rename(temporary, fileIn(repo))
  } finally {
    await rm(temporary, { force: true })
  }
}

export async function removeDaemonFile (repo: string): Promise<void> {
  await rm(fileIn(repo), { force: true })
}

/**
 * The daemon of a repo, if one runs that can be reached from here: a file that a killed
 * one left behind is none, and neither is one of another container with a network of
 * its own, where another process may listen on that port.
 */
export async function readDaemonFile (repo: string): Promise<DaemonAddress | undefined> {
  let value: Record<string, unknown>

  try {
    value = JSON.parse(await readFile(fileIn(repo), 'utf8')) as Record<string, unknown>
  } catch {
    // there is none, or it cannot be read by this user
    return undefined
  }

  const { version, pid, lock, loopback: at, port, token } = value ?? {}

  if (version !== VERSION || typeof pid !== 'number' || typeof lock !== 'string' || typeof port !== 'number' || typeof token !== 'string') {
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

/** Which 127.0.0.1 is meant: that of a boot of a kernel and a network namespace, or where there are none of a machine. */
async function loopback (): Promise<string> {
  try {
    return `${(await readFile('/proc/sys/kernel/random/boot_id', 'latin1')).trim()} ${await readlink('/proc/self/ns/net')}`
  } catch {
    return hostname()
  }
}
