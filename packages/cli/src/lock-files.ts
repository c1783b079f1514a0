import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { lives, startOf } from './process-lives.ts'

const NAME = /^([a-z]+)-(\d+)-(\d*)-([0-9a-f]+)-[0-9a-f-]+$/

/** This machine, as a name of a file may hold it. */
export const HOST = Buffer.from(hostname()).toString('hex') || '00'

/** A lock of a process, as an empty file whose name says who holds it. */
export interface LockFile {
  name: string
  kind: string
  pid: number
}

/** Where the locks of a repo are. */
export function locksIn (repo: string): string {
  return join(repo, 'locks')
}

/** A name that no other lock has or had. */
export function newLockName (kind: string): string {
  return `${kind}-${process.pid}-${startOf(process.pid)}-${HOST}-${randomUUID()}`
}

/** Who holds or wants a lock of these kinds. Files of processes that have ended are deleted. */
export async function readLocks (directory: string, kinds: readonly string[]): Promise<LockFile[]> {
  const found: LockFile[] = []

  for (const name of await readdir(directory)) {
    const [, kind, pid, start, host] = NAME.exec(name) ?? []

    if (kind == null || !kinds.includes(kind)) {
      continue
    }

    // of other machines nothing is known
    if (host === HOST && !lives(Number(pid), start)) {
      await rm(join(directory, name), { force: true })
    } else {
      found.push({ name, kind, pid: Number(pid) })
    }
  }

  return found
}
