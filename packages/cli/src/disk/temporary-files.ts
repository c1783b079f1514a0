import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync, utimesSync } from 'node:fs'
import { chmod, lstat, opendir, realpath, rmdir, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { lives, startOf } from './process-lives.ts'
import type { Dirent } from 'node:fs'

const NAME = /^\..{1,50}\.ipfsz-([0-9a-f]{16})-(\d+)-(\d*)-[0-9a-f-]{36}\.tmp$/s

/** What another machine writes, of whose processes nothing is known, is given up after this, in milliseconds. */
const MAX_AGE = 24 * 60 * 60 * 1000
/** How often what is being written is marked as such, in milliseconds. */
const HEARTBEAT = 60 * 60 * 1000
/** A directory of more names than this is not looked through. */
const MAX_NAMES = 100_000
/** How many entries of a directory are deleted before more are read. */
const ENTRIES_AT_ONCE = 4096

/** Where process ids mean what they mean here: this machine since it was started, and this container. */
const MACHINE = createHash('sha256').update(`${read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))} ${read(() => readlinkSync('/proc/self/ns/pid'))} ${hostname()}`).digest('hex').slice(0, 16)

/** A name beside a target, for what is not whole yet. It says which process writes there. */
export function temporaryFor (target: string): string {
  return join(dirname(target), `.${basename(target).slice(0, 50)}.ipfsz-${MACHINE}-${process.pid}-${startOf(process.pid)}-${randomUUID()}.tmp`)
}

/**
 * Tell others that something is still being written.
 *
 * @returns what ends that
 */
export function keepFresh (temporary: string): () => void {
  const timer = setInterval(() => {
    try {
      utimesSync(temporary, new Date(), new Date())
    } catch {
      // whoever writes there notices
    }
  }, HEARTBEAT).unref()

  return () => { clearInterval(timer) }
}

/** Delete what is not whole, also directories that may not be written to. */
export async function removeTemporary (temporary: string): Promise<void> {
  await remove(temporary).catch(() => {})
}

/**
 * Not Node's `rm`: that takes on all entries of a directory at one time, and a million
 * of them need more than a gigabyte.
 */
async function remove (path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) {
    await unlink(path)
    return
  }

  await chmod(path, 0o700)

  for (let entries = await firstEntries(path); entries.length > 0; entries = await firstEntries(path)) {
    const directories = entries.filter(entry => entry.isDirectory())
    await Promise.all(entries.filter(entry => !entry.isDirectory()).map(async ({ name }) => unlink(join(path, name))))

    for (const { name } of directories) {
      await remove(join(path, name))
    }
  }

  await rmdir(path)
}

/** Read anew each time, so that no directory is open while those in it are deleted. */
async function firstEntries (directory: string): Promise<Dirent[]> {
  const entries: Dirent[] = []

  for await (const entry of await opendir(directory, { bufferSize: 256 })) {
    if (entries.push(entry) === ENTRIES_AT_ONCE) {
      break
    }
  }

  return entries
}

/**
 * Delete what processes that were killed have left in a directory: what has a name of
 * `temporaryFor`, belongs to this user, and is of a process that has ended. Of other
 * machines and containers, what nobody has touched for a day.
 *
 * Whoever may write to the directory may make such names. What is theirs stays. A file
 * or directory of this user they could give such a name where they may rename it:
 * there they may delete a file too, but not a directory with all that is in it, so
 * directories are deleted only where nobody else may rename them.
 *
 * @param now - the time in milliseconds
 */
export async function sweepTemporaries (directory: string, now: number): Promise<void> {
  const uid = process.getuid?.()

  if (uid == null) {
    // without users nothing tells whose it is
    return
  }

  try {
    for (const path of await leftIn(directory, now)) {
      const stats = await lstat(path)

      if (stats.uid === uid && (stats.isFile() || (stats.isDirectory() && await isSafe(directory, uid)))) {
        await removeTemporary(path)
      }
    }
  } catch {
    // what cannot be cleaned up hinders nobody
  }
}

async function leftIn (directory: string, now: number): Promise<string[]> {
  const left: string[] = []
  let names = 0

  for await (const { name } of await opendir(directory)) {
    const [, machine, pid, start] = NAME.exec(name) ?? []

    if (machine != null && (machine === MACHINE ? !lives(Number(pid), start) : await isOld(join(directory, name), now))) {
      left.push(join(directory, name))
    }

    if (++names > MAX_NAMES) {
      break
    }
  }

  return left
}

/** By the time of the last change, which nobody can set. */
async function isOld (path: string, now: number): Promise<boolean> {
  return now - (await lstat(path)).ctimeMs > MAX_AGE
}

/** Whether nobody but this user and root can rename what is in a directory, or any directory above it. */
async function isSafe (directory: string, uid: number): Promise<boolean> {
  let path = await realpath(directory)

  for (;;) {
    const { uid: owner, mode } = await stat(path)
    const isShared = (mode & 0o022) !== 0 && (mode & 0o1000) === 0

    if (isShared || (owner !== uid && owner !== 0)) {
      return false
    }

    if (path === dirname(path)) {
      return true
    }

    path = dirname(path)
  }
}

function read (source: () => string): string {
  try {
    return source()
  } catch {
    return ''
  }
}
