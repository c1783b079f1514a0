import { existsSync, lstatSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { platform } from 'node:process'
import { FileLockError } from './errors.ts'
import { messageOf } from './message-of.ts'
import type * as Sqlite from 'node:sqlite'

/*
 * File locks held by the kernel, which releases them when the process ends, even if it is killed.
 *
 * The alternatives are worse. A pid in a file means nothing in another container. A lock that expires unless it is
 * renewed treats a stopped process as dead. Node has no flock, and npm packages that call flock must be compiled on
 * installation. LevelDB needs 5 ms and five files for each lock.
 *
 * SQLite is part of Node. It takes the system's locks (fcntl, LockFileEx), is tested on all systems, and also keeps two
 * locks of one process apart. Nothing is ever written into these databases.
 */

/** Primary result codes (sqlite.org/rescode.html). */
export const BUSY = 5
export const READONLY = 8
export const CANTOPEN = 14
const NOTADB = 26

/** SQLite's messages for them. Errors of Deno have no code. */
const MESSAGES: ReadonlyArray<[text: string, code: number]> = [
  ['database is locked', BUSY],
  ['unable to open database file', CANTOPEN],
  ['file is not a database', NOTADB]
]

type Release = () => void

/** Keeps every held database referenced: garbage collection would close it and release its lock. */
const held = new Set<Release>()

let sqlite: typeof Sqlite | undefined

/**
 * Lock a file until it is released or this process ends. Creates the file if it is missing.
 *
 * @returns a function that releases the lock, or undefined if another process holds it, or is just checking whether it
 *   is held
 * @throws {FileLockError} the file system does not support locks, or the file cannot be opened
 */
export function holdFile (path: string): Release | undefined {
  // no journal file: a killed process would leave one behind
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
 * Whether a process holds a file. Changes nothing. A missing file is not held.
 *
 * @throws {FileLockError} the file cannot be read, or the file system does not support locks
 */
export function isHeld (path: string): boolean {
  const close = lockShared(path)
  close?.()

  return close == null
}

/**
 * Delete a file unless a process holds it.
 *
 * @returns whether it is gone
 * @throws {FileLockError} the file cannot be read, or the file system does not support locks
 */
export async function removeUnlessHeld (path: string): Promise<boolean> {
  const close = lockShared(path)

  if (close == null) {
    return false
  }

  if (platform === 'win32') {
    // Windows deletes no open file, whether this process or a new holder has it open
    close()

    return rm(path, { force: true }).then(() => true, () => false)
  }

  try {
    // before closing: until then no process can begin to hold it
    await rm(path, { force: true })
  } finally {
    close()
  }

  return true
}

/** Take a shared lock: several processes may have one at once, and meanwhile none can begin to hold the file. */
function lockShared (path: string): Release | undefined {
  return lock(path, { readOnly: true }, 'BEGIN; SELECT 1 FROM sqlite_schema')
}

function lock (path: string, { readOnly }: { readOnly: boolean }, statements: string): Release | undefined {
  let db: Sqlite.DatabaseSync | undefined
  const close = (): void => { db?.close() }

  try {
    db = openDatabase(path, { readOnly })
    db.exec(statements)

    return close
  } catch (err) {
    const code = resultCode(err)

    // the file is not a database: SQLite found that only after it had the lock
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

    throw err instanceof FileLockError ? err : new FileLockError(path, messageOf(err), { cause: err })
  }
}

/** The primary result code of an error of node:sqlite. */
export function resultCode (err: unknown): number | undefined {
  const { errcode } = err as { errcode?: number }

  if (errcode == null) {
    return MESSAGES.find(([text]) => messageOf(err).startsWith(text))?.[1]
  }

  // the low byte of an extended result code is the primary one
  return errcode & 0xff
}

/**
 * Open a database.
 *
 * @throws {FileLockError} it is a symlink, or not a regular file: SQLite would wait for a pipe, deaf to signals
 */
export function openDatabase (path: string, options: { readOnly?: boolean } = {}): Sqlite.DatabaseSync {
  if (!mayBeFile(path, options)) {
    throw new FileLockError(path, 'it is not a regular file')
  }

  return new (loadSqlite().DatabaseSync)(path, options)
}

/** Symlinks are refused: through one of another user, SQLite would create a file wherever it points. */
function mayBeFile (path: string, { readOnly = false }: { readOnly?: boolean }): boolean {
  try {
    return (readOnly ? statSync : lstatSync)(path).isFile()
  } catch {
    // SQLite makes it, or says why not
    return true
  }
}

/** The SQLite of Node. */
function loadSqlite (): typeof Sqlite {
  if (sqlite == null) {
    const { emitWarning } = process

    // Node 22 would warn on stderr that it is experimental
    process.emitWarning = () => {}

    try {
      sqlite = process.getBuiltinModule('node:sqlite')
    } finally {
      process.emitWarning = emitWarning
    }
  }

  if (sqlite == null) {
    throw new Error(
      `this Node ${process.version} has no SQLite, which locks files: use Node 22.15 or newer, built with SQLite`
    )
  }

  return sqlite
}
