import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@ipfsz/utils/message-of'
import { Key } from 'interface-datastore/key'
import { NotFoundError } from 'interface-store'
import { RepoError, RepoLockedError } from '../errors.ts'
import { transact } from '../locks/transact.ts'
import { BUSY, CANTOPEN, openDatabase, READONLY, resultCode } from '../locks/kernel-lock.ts'
import type { OriginalsDatastore } from '@ipfsz/core/originals'
import type { Pair } from 'interface-datastore'
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** How long to wait while another process commits, and between two attempts, in milliseconds. */
const LOCK_TIMEOUT = 20_000
const RETRY_INTERVAL = 5
/** How many entries a query reads at a time. */
const PAGE = 256
/** The version of the table. */
const VERSION = 1

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
  PRAGMA user_version = ${VERSION};
`

interface Opened {
  db: DatabaseSync
  get: StatementSync
  put: StatementSync | undefined
  delete: StatementSync | undefined
  page: StatementSync
}

/** The file with the index of a repo's originals. */
export function originalsIn (repo: string): string {
  return join(repo, 'originals.db')
}

/** Whether a repo has, or once had, an index of originals. */
export function hasOriginals (repo: string): boolean {
  return existsSync(originalsIn(repo))
}

/**
 * The index of a repo's originals, in a SQLite database that any number of processes may have open: strangers make a
 * daemon look into it for each block that they ask for, and the LevelDB of the links can be opened by only one process.
 * Reads take some ten microseconds. A batch is written as a whole or not at all, and survives a power cut.
 */
export class OriginalsStore implements OriginalsDatastore {
  readonly #path: string
  readonly #repo: string
  readonly #writes: boolean
  #opened: Opened | undefined

  /** @param init.writes - whether to create the index if it is missing. Without it, a missing one is empty */
  constructor (repo: string, { writes }: { writes: boolean }) {
    this.#repo = repo
    this.#path = originalsIn(repo)
    this.#writes = writes
  }

  async get (key: Key): Promise<Uint8Array> {
    const row = await this.#run(({ get }) => get.get(key.toString()))

    if (row == null) {
      throw new NotFoundError()
    }

    return row.value as Uint8Array
  }

  async put (key: Key, value: Uint8Array): Promise<Key> {
    await this.#change(({ put }) => { put?.run(key.toString(), value) })

    return key
  }

  async delete (key: Key): Promise<void> {
    await this.#change(opened => { opened.delete?.run(key.toString()) })
  }

  /** In the order of the keys. Reads a page at a time, so entries may be changed meanwhile. */
  async * query (
    { prefix = '/', limit = Infinity }: Parameters<OriginalsDatastore['query']>[0],
    options: Parameters<OriginalsDatastore['query']>[1] = {}
  ): AsyncGenerator<Pair> {
    // above all keys with the prefix: keys are ASCII
    const end = `${prefix}\u{ffff}`
    let after = prefix
    let left = limit

    while (left > 0) {
      options.signal?.throwIfAborted()
      const count = Math.min(left, PAGE)
      const rows = await this.#run(({ page }) => page.all(after, end, count)) ?? []

      for (const { key, value } of rows) {
        yield { key: new Key(key as string, false), value: value as Uint8Array }
        after = key as string
      }

      if (rows.length < count) {
        return
      }

      left -= rows.length
    }
  }

  batch (): ReturnType<OriginalsDatastore['batch']> {
    const changes: Array<[key: string, value: Uint8Array | undefined]> = []

    return {
      put (key, value) { changes.push([key.toString(), value]) },
      delete (key) { changes.push([key.toString(), undefined]) },
      commit: async () => {
        const all = changes.splice(0)

        if (all.length > 0) {
          await this.#change(opened => { writeAll(opened, all) })
        }
      }
    }
  }

  async close (): Promise<void> {
    this.#opened?.db.close()
    this.#opened = undefined
  }

  async #change (work: (opened: Opened) => void): Promise<void> {
    await this.#run(opened => {
      if (opened.put == null) {
        throw new RepoError(`Cannot write the index of originals ${this.#path}: it is read-only`)
      }

      work(opened)
    })
  }

  /** Run statements. Waits while another process commits, without blocking this one. */
  async #run<T> (work: (opened: Opened) => T): Promise<T | undefined> {
    const deadline = performance.now() + LOCK_TIMEOUT

    for (;;) {
      try {
        const opened = this.#opened ??= this.#open()

        return opened == null ? undefined : work(opened)
      } catch (err) {
        if (err instanceof RepoError) {
          throw err
        }

        if (resultCode(err) !== BUSY) {
          throw new RepoError(`Cannot use the index of originals ${this.#path}: ${messageOf(err)}`, { cause: err })
        }

        if (performance.now() > deadline) {
          throw new RepoLockedError(this.#repo, { kind: 'originals', path: this.#path }, { cause: err })
        }
      }

      await sleep(RETRY_INTERVAL)
    }
  }

  #open (): Opened | undefined {
    if (!this.#writes && !existsSync(this.#path)) {
      return undefined
    }

    try {
      // writable, even to read: what a killed process left is rolled back by whoever opens it next
      return this.#prepare(false)
    } catch (err) {
      if (this.#writes || ![CANTOPEN, READONLY].includes(resultCode(err) ?? 0)) {
        throw err
      }

      return this.#prepare(true)
    }
  }

  #prepare (readOnly: boolean): Opened {
    const db = openDatabase(this.#path, { readOnly })

    try {
      // of macOS, where SQLite leaves what it writes in the memory of the disk otherwise
      db.exec('PRAGMA fullfsync = ON')
      const version = db.prepare('PRAGMA user_version').get()?.user_version

      if (version !== VERSION) {
        this.#create(db, version)
      }

      const write = (sql: string): StatementSync | undefined => readOnly ? undefined : db.prepare(sql)

      return {
        db,
        get: db.prepare('SELECT value FROM entries WHERE key = ?'),
        page: db.prepare('SELECT key, value FROM entries WHERE key > ? AND key < ? ORDER BY key LIMIT ?'),
        put: write('INSERT OR REPLACE INTO entries (key, value) VALUES (?, ?)'),
        delete: write('DELETE FROM entries WHERE key = ?')
      }
    } catch (err) {
      db.close()
      throw err
    }
  }

  #create (db: DatabaseSync, version: unknown): void {
    if (version !== 0) {
      throw new RepoError(
        `The index of originals ${this.#path} has version ${String(version)}, but this ipfsz supports only ${VERSION}`,
        { problem: 'other-index' }
      )
    }

    transact(db, () => { db.exec(SCHEMA) })
  }
}

function writeAll ({ db, ...statements }: Opened, changes: ReadonlyArray<[string, Uint8Array | undefined]>): void {
  transact(db, () => {
    for (const [key, value] of changes) {
      if (value == null) {
        statements.delete?.run(key)
      } else {
        statements.put?.run(key, value)
      }
    }
  })
}
