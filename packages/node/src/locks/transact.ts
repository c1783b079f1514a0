import type { DatabaseSync } from 'node:sqlite'

/** Run work in a transaction: all that it writes is kept, or nothing if it throws. */
export function transact (db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE')

  try {
    work()
    db.exec('COMMIT')
  } catch (err) {
    try {
      db.exec('ROLLBACK')
    } catch {
      // it never began, or SQLite rolled it back itself
    }

    throw err
  }
}
