/** The worker of a database: SQLite, and a file over HTTP. */
import sqlite3InitModule from '@sqlite.org/sqlite-wasm'
import { openHttpFile } from './http-file.ts'
import { MAX_ROWS } from './messages.ts'
import { RangeVfs, VFS } from './range-vfs.ts'
import type { Answer, Cell, Request, Result } from './messages.ts'
import type { Database } from '@sqlite.org/sqlite-wasm'

let vfs: RangeVfs | undefined
let database: Database | undefined

async function open (url: string): Promise<Result> {
  const file = openHttpFile(url)
  const sqlite3 = await sqlite3InitModule()

  vfs = new RangeVfs(sqlite3, file)
  vfs.install()
  database = new sqlite3.oo1.DB({ filename: 'database', flags: 'r', vfs: VFS })

  // reads the schema, and so notices what is no database
  return query('SELECT name, type FROM sqlite_schema ORDER BY name')
}

function query (sql: string): Result {
  const columns: string[] = []
  const rows: Cell[][] = []

  database?.exec({
    sql,
    rowMode: 'array',
    columnNames: columns,
    callback: row => {
      rows.push(row as Cell[])

      // false ends the query
      return rows.length < MAX_ROWS ? undefined : false
    }
  })

  return { columns, rows }
}

async function answer (request: Request): Promise<Answer> {
  try {
    return 'open' in request ? await open(request.open) : query(request.sql)
  } catch (err) {
    const reason = vfs?.lastError ?? err

    if (vfs != null) {
      vfs.lastError = undefined
    }

    return { error: reason instanceof Error ? reason.message : String(reason) }
  }
}

addEventListener('message', async ({ data }: MessageEvent<Request>) => {
  postMessage(await answer(data))
})
