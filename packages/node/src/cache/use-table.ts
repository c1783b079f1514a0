import { rmSync } from 'node:fs'
import { BUSY, openDatabase, resultCode } from '../locks/kernel-lock.ts'
import { transact } from '../locks/transact.ts'
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** The version of the table. */
const VERSION = 1
/** Maximum blocks that one transaction drops: it blocks this process, and other writers. */
const MAX_DROPPED = 1000
/** The part of the space that is free once blocks were dropped. */
const FREE_PART = 0.05
/** How long a call waits while another process changes the table, in milliseconds. A change takes one or two. */
const BUSY_TIMEOUT = 200
/** SQLite's result codes for a file that is damaged, or no database. */
const DAMAGED: ReadonlySet<number | undefined> = new Set([11, 26])
/** And for one that another process is changing, or that lacks space on the disk: it is whole, and tried again. */
const TRANSIENT: ReadonlySet<number | undefined> = new Set([BUSY, 13])

const SCHEMA = `
  CREATE TABLE blocks (name TEXT PRIMARY KEY, size INTEGER NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX by_use ON blocks (used);
  CREATE TABLE total (bytes INTEGER NOT NULL);
  INSERT INTO total VALUES (0);
  CREATE TRIGGER added AFTER INSERT ON blocks BEGIN UPDATE total SET bytes = bytes + new.size; END;
  CREATE TRIGGER dropped AFTER DELETE ON blocks BEGIN UPDATE total SET bytes = bytes - old.size; END;
  PRAGMA user_version = ${VERSION};
`

/** What was done to a block: it was read, was kept and takes so many bytes, or is gone. */
export type Use = { name: string, used: number } & ({ kept: number } | { read: true } | { gone: true })

/**
 * Says which blocks a cache has, what they take and when each was used last, in a SQLite database that any number of
 * processes may have open. A process that is killed leaves it as it was before or after a call. It is not synced: a
 * power cut may damage it, and then it is made anew.
 */
export class UseTable {
  /** Whether it was made just now: what lies in the cache is unknown to it. */
  readonly isNew: boolean
  readonly #path: string
  readonly #db: DatabaseSync
  readonly #statements: Record<'kept' | 'read' | 'drop' | 'has' | 'future' | 'oldest' | 'total', StatementSync>

  private constructor (path: string, db: DatabaseSync, isNew: boolean) {
    this.isNew = isNew
    this.#path = path
    this.#db = db
    this.#statements = {
      kept: db.prepare(
        'INSERT INTO blocks VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET used = max(used, excluded.used)'
      ),
      read: db.prepare('UPDATE blocks SET used = max(used, ?) WHERE name = ?'),
      drop: db.prepare('DELETE FROM blocks WHERE name = ?'),
      has: db.prepare('SELECT 1 FROM blocks WHERE name = ?'),
      future: db.prepare('UPDATE blocks SET used = ? WHERE used > ?'),
      oldest: db.prepare('SELECT name, size FROM blocks ORDER BY used LIMIT ?'),
      total: db.prepare('SELECT bytes FROM total')
    }
  }

  /** Open the table in a file, and make it if there is none, or a damaged one. */
  static open (path: string): UseTable {
    try {
      return UseTable.#prepare(path)
    } catch (err) {
      if (!DAMAGED.has(resultCode(err))) {
        throw err
      }

      removeTable(path)

      return UseTable.#prepare(path)
    }
  }

  static #prepare (path: string): UseTable {
    const db = openDatabase(path)
    let isNew = false

    try {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}; PRAGMA synchronous = OFF`)

      if (db.prepare('PRAGMA user_version').get()?.user_version !== VERSION) {
        transact(db, () => {
          // another process may have made it meanwhile
          isNew = db.prepare('PRAGMA user_version').get()?.user_version !== VERSION

          if (isNew) {
            db.exec(SCHEMA)
          }
        })
      }

      return new UseTable(path, db, isNew)
    } catch (err) {
      db.close()
      throw err
    }
  }

  /** What all blocks take, in bytes. */
  get bytes (): number {
    return Number(this.#statements.total.get()?.bytes)
  }

  has (name: string): boolean {
    return this.#statements.has.get(name) != null
  }

  /**
   * Take note of what was done, and drop the blocks that were used least recently if there is no room for all.
   *
   * @param max - maximum bytes of all blocks
   * @returns the names of dropped blocks, whose files are to be deleted, what the others take, and whether more must
   *   go. Undefined if another process is changing the table, or the disk is full: to be done again
   */
  note (uses: Iterable<Use>, max: number): { dropped: string[], bytes: number, isFull: boolean } | undefined {
    const { kept, read, drop, future, oldest } = this.#statements
    const now = Date.now()
    const dropped: string[] = []
    let left = 0

    try {
      transact(this.#db, () => {
        for (const use of uses) {
          if ('kept' in use) {
            kept.run(use.name, use.kept, use.used)
          } else if ('read' in use) {
            read.run(use.used, use.name)
          } else {
            drop.run(use.name)
          }
        }

        // the clock was ahead: these would be the last to go, for as long
        future.run(now - 1, now)
        left = this.bytes
        const wanted = max * (1 - FREE_PART)

        for (const { name, size } of left > max ? oldest.all(MAX_DROPPED) : []) {
          if (left <= wanted) {
            break
          }

          drop.run(name)
          dropped.push(String(name))
          left -= Number(size)
        }
      })
    } catch (err) {
      if (isTransient(err)) {
        return undefined
      }

      throw err
    }

    return { dropped, bytes: left, isFull: left > max && dropped.length > 0 }
  }

  close (): void {
    this.#db.close()
  }

  /** Close it because of an error. If that says that it is damaged, the next process makes it anew. */
  abandon (err: unknown): void {
    this.#db.close()

    if (DAMAGED.has(resultCode(err))) {
      removeTable(this.#path)
    }
  }
}

/** Whether the same will succeed later. */
export function isTransient (err: unknown): boolean {
  return TRANSIENT.has(resultCode(err))
}

/** Windows refuses while another process has it open: the next process that opens it tries again. */
function removeTable (path: string): void {
  try {
    for (const file of [path, `${path}-journal`]) {
      rmSync(file, { force: true })
    }
  } catch {
    // it is still damaged, which whoever opens it says
  }
}
