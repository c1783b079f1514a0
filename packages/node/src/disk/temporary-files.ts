import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { lstat, opendir, rmdir, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { holdDirectory, isPrivate } from './held-directory.ts'
import { isRunning, startOf } from './process-state.ts'
import { emptyDirectory, removeDirectory } from './remove-directory.ts'
import type { HeldDirectory } from './held-directory.ts'

const NAME = /^\..{1,50}\.ipfsz-([0-9a-f]{16})-(\d+)-(\d*)-[0-9a-f-]{36}\.tmp$/s

/** The age in milliseconds at which files of other machines count as abandoned: their processes cannot be checked. */
const MAX_AGE = 24 * 60 * 60 * 1000
/** How often the mtime of a file that is being written is renewed, in milliseconds. */
const HEARTBEAT = 60 * 60 * 1000
/** How many names of a directory are searched for temporary files. */
const MAX_NAMES = 100_000

let ownMachine: string | undefined

/** Identifies the machine, its boot and its container: only there do process ids mean the same processes. */
function machineId (): string {
  return ownMachine ??= createHash('sha256').update([
    read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')),
    read(() => readlinkSync('/proc/self/ns/pid')),
    hostname()
  ].join(' ')).digest('hex').slice(0, 16)
}

/** A path beside a target for writing it. The name says which process writes there. */
export function temporaryFor (target: string): string {
  return join(
    dirname(target),
    `.${basename(target).slice(0, 50)}.ipfsz-${machineId()}-${process.pid}-${startOf(process.pid)}-${randomUUID()}.tmp`
  )
}

/**
 * Renew the mtime of a temporary file every hour, so that other machines do not delete it.
 *
 * @param touch - sets its times
 * @returns a function that stops this
 */
export function keepFresh (touch: (now: Date) => void): () => void {
  const timer = setInterval(() => {
    try {
      touch(new Date())
    } catch {
      // the code that writes the file meets the same error
    }
  }, HEARTBEAT).unref()

  return () => { clearInterval(timer) }
}

/** Delete a temporary directory that this process made, even with read-only directories in it. Ignores errors. */
export async function removeTemporary (parent: HeldDirectory, name: string, made: HeldDirectory): Promise<void> {
  try {
    await emptyDirectory(made)
    // if another directory has its name, that stays unless it is empty
    await rmdir(`${parent.path}/${name}`)
  } catch {
    // the next command deletes it
  }
}

/**
 * Delete the temporary files that killed processes left in a directory: those with a name made by `temporaryFor`, that
 * belong to this user, and whose process has ended. Files of other machines and containers are deleted when they have
 * not changed for a day.
 *
 * Other users who may write to the directory can create such names too. Their files stay. But they might also rename a
 * file or directory of this user to such a name. If they may do that to a file, they may delete it as well; a directory
 * that is not empty they could not delete. So directories are deleted only if no other user may rename them.
 *
 * @param now - the time in milliseconds
 */
export async function sweepTemporaries (directory: string, now: number): Promise<void> {
  try {
    const held = await holdDirectory(directory)

    try {
      await sweep(held, process.getuid?.(), now)
    } finally {
      await held.close()
    }
  } catch {
    // leftovers do no harm
  }
}

/** @param uid - undefined on Windows, which does not say who owns a file: whoever may rename one may delete it there */
export async function sweep (directory: HeldDirectory, uid: number | undefined, now: number): Promise<void> {
  for (const name of await findAbandoned(directory.path, now)) {
    const path = `${directory.path}/${name}`
    const stats = await lstat(path)

    if ((uid == null || stats.uid === uid) && stats.isFile()) {
      await unlink(path)
    } else if (uid != null && stats.uid === uid && stats.isDirectory() && await isPrivate(directory.path, uid)) {
      await removeDirectory(directory, name)
    }
  }
}

/** The names of abandoned files and directories. */
async function findAbandoned (directory: string, now: number): Promise<string[]> {
  const abandoned: string[] = []
  let names = 0

  for await (const { name } of await opendir(directory)) {
    const [, machine, pid, start] = NAME.exec(name) ?? []

    const isOurs = machine === machineId()

    if (machine != null && (isOurs ? !isRunning(Number(pid), start) : await isOld(`${directory}/${name}`, now))) {
      abandoned.push(name)
    }

    if (++names > MAX_NAMES) {
      break
    }
  }

  return abandoned
}

/** By the ctime, which no user can set. */
async function isOld (path: string, now: number): Promise<boolean> {
  return now - (await lstat(path)).ctimeMs > MAX_AGE
}

function read (source: () => string): string {
  try {
    return source()
  } catch {
    return ''
  }
}
