import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { platform } from 'node:process'
import { RepoError } from '../error-classes.ts'
import type * as Sqlite from 'node:sqlite'

/*
 * Locks that the kernel keeps, and lets go of when the process ends, however that is.
 *
 * A lock that names its holder by pid means nothing in another container, and one that
 * counts as dead when nobody touches it takes a process that was merely stopped for
 * dead. Node has no flock of its own. SQLite, which is part of Node, takes the locks of
 * the system (fcntl, LockFileEx) in a way that is tried on all of them, and keeps apart
 * what one process does twice. LevelDB, which has the links, would take five
 * milliseconds and five files for each lock; the npm packages that call flock are
 * compiled where they are installed. Nothing is ever written into these databases.
 */

/** Primary result codes (sqlite.org/rescode.html). */
const BUSY = 5
const CANTOPEN = 14
const NOTADB = 26

/** Lets go of a lock. */
type LetGo = () => void

/** What lets go of all that is held: a database that nobody refers to is closed, and its lock is gone. */
const held = new Set<LetGo>()

let sqlite: typeof Sqlite | undefined

/**
 * Hold a file, made where it is not there, until this process lets go of it or ends.
 *
 * @returns what lets go of it, or nothing: another one holds it, or just looks
 * @throws {RepoError} no lock can be had there
 */
export function holdFile (path: string): LetGo | undefined {
  // no journal: a process that is killed would leave one behind
  const close = lock(path, { readOnly: false }, 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')

  if (close == null) {
    return undefined
  }

  held.add(close)

  return () => {
    if (held.delete(close)) {
      close()
    }
  }
}

/**
 * Whether a process holds a file. Nothing is changed, and none that is gone is held.
 *
 * @throws {RepoError} the file cannot be read, or has no locks
 */
export function isHeld (path: string): boolean {
  const close = look(path)
  close?.()

  return close == null
}

/**
 * Delete a file that no process holds.
 *
 * @returns whether none does
 * @throws {RepoError} the file cannot be read, or has no locks
 */
export async function removeUnlessHeld (path: string): Promise<boolean> {
  const close = look(path)

  if (close == null) {
    return false
  }

  if (platform === 'win32') {
    // there nothing is deleted that is open, by this process or by one that is about to hold it
    close()

    return rm(path, { force: true }).then(() => true, () => false)
  }

  try {
    // while nobody can begin to hold it
    await rm(path, { force: true })
  } finally {
    close()
  }

  return true
}

/** Several may look at one time, and meanwhile nobody begins to hold it. */
function look (path: string): LetGo | undefined {
  return lock(path, { readOnly: true }, 'BEGIN; SELECT 1 FROM sqlite_schema')
}

function lock (path: string, { readOnly }: { readOnly: boolean }, statements: string): LetGo | undefined {
  let db: Sqlite.DatabaseSync | undefined
  const close = (): void => { db?.close() }

  try {
    db = new (load().DatabaseSync)(path, { readOnly })
    db.exec(statements)

    return close
  } catch (err) {
    // extended codes have more above the first byte
    const code = Number((err as { errcode?: number }).errcode) & 0xff

    // others have put something into it, which is looked at once there is a lock
    if (readOnly && code === NOTADB) {
      return close
    }

    close()

    if (code === BUSY) {
      return undefined
    }

    if (readOnly && code === CANTOPEN && !existsSync(path)) {
      return () => {}
    }

    throw new RepoError(`The lock ${path} can be neither taken nor looked at: ${err instanceof Error ? err.message : String(err)}`, { cause: err })
  }
}

function load (): typeof Sqlite {
  if (sqlite == null) {
    const { emitWarning } = process

    // Node 22 calls it experimental, on stderr
    process.emitWarning = () => {}

    try {
      sqlite = process.getBuiltinModule('node:sqlite')
    } finally {
      process.emitWarning = emitWarning
    }
  }

  if (sqlite == null) {
    throw new Error('this Node was built without SQLite')
  }

  return sqlite
}
