import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { platform } from 'node:process'
import { StoreLockError } from '../errors.ts'
import type * as Sqlite from 'node:sqlite'

/*
 * File locks held by the kernel, which releases them when the process ends. Node has no flock; SQLite, which is part of
 * it, takes the system's locks (fcntl, LockFileEx), and keeps two locks of one process apart. Nothing is ever written
 * into these databases.
 */

/** Primary result codes (sqlite.org/rescode.html). */
const BUSY = 5
const CANTOPEN = 14

/** Releases a lock. */
type Release = () => void

/** Keeps every held database referenced: garbage collection would close it and release its lock. */
const held = new Set<Release>()

/**
 * Lock a file until it is released or this process ends. Creates the file if it is missing.
 *
 * @returns undefined if another holds it, or is just checking whether it is held
 * @throws {StoreLockError} the file system has no locks, or the file cannot be opened
 */
export function holdFile (path: string): Release | undefined {
  // no journal file: a killed process would leave one behind
  const close = lock(path, false, 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')

  if (close == null) {
    return undefined
  }

  // the file may have been deleted by removeUnlessHeld before it was locked
  if (!isHeld(path)) {
    close()

    return undefined
  }

  held.add(close)

  return () => {
    if (held.delete(close)) {
      close()
    }
  }
}

/** Whether a process holds a file. A missing file is not held. */
export function isHeld (path: string): boolean {
  const close = lock(path, true, 'BEGIN; SELECT 1 FROM sqlite_schema')
  close?.()

  return close == null
}

/** Delete a file unless a process holds it. */
export async function removeUnlessHeld (path: string): Promise<void> {
  const close = lock(path, true, 'BEGIN; SELECT 1 FROM sqlite_schema')

  if (close == null) {
    return
  }

  if (platform === 'win32') {
    // Windows deletes no open file, whether this process or a new holder has it open
    close()
    await rm(path, { force: true }).catch(() => {})

    return
  }

  try {
    // before closing: until then no process can begin to hold it
    await rm(path, { force: true })
  } finally {
    close()
  }
}

function lock (path: string, readOnly: boolean, statements: string): Release | undefined {
  let db: Sqlite.DatabaseSync | undefined
  const close = (): void => { db?.close() }

  if (readOnly && !existsSync(path)) {
    return () => {}
  }

  try {
    db = new (loadSqlite().DatabaseSync)(path, { readOnly })
    db.exec(statements)

    return close
  } catch (err) {
    close()
    const code = ((err as { errcode?: number }).errcode ?? 0) & 0xff

    if (code === BUSY) {
      return undefined
    }

    if (readOnly && code === CANTOPEN && !existsSync(path)) {
      return () => {}
    }

    throw new StoreLockError(path, { cause: err })
  }
}

function loadSqlite (): typeof Sqlite {
  const sqlite = process.getBuiltinModule('node:sqlite')

  if (sqlite == null) {
    throw new Error(`Node ${process.version} has no SQLite, which locks the store: use Node 22.15 or newer`)
  }

  return sqlite
}
