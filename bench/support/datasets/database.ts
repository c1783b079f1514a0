import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import sqlite3InitModule from '@sqlite.org/sqlite-wasm'
import { RangeFile } from '../../../examples/dataset/src/range-file.ts'
import { RangeVfs, VFS } from '../../../examples/dataset/src/range-vfs.ts'
import { random, text } from '../../../test/support/data.ts'
import { withDirectory } from '../temporary.ts'
import type { Part, Reading } from './replay.ts'

/** About as many bytes as a row takes, with its entries in the indexes. */
const ROW_SIZE = 125
const CUSTOMERS = 20_000
const QUERIES = 20

/** A database of orders, as a shop may have it: numbers, names, short texts, and two indexes. */
export async function makeDatabase (size: number): Promise<Buffer> {
  return withDirectory(async directory => {
    const path = join(directory, 'orders.sqlite')
    const database = new DatabaseSync(path)
    const next = random(7)
    const words = Buffer.from(text(50_000, 3)).toString().split(/\s/)
    const phrase = (length: number): string => Array.from({ length }, () => words[next() % words.length]).join(' ')

    database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, day TEXT, product TEXT, ' +
      'amount INTEGER, price REAL, note TEXT)')
    database.exec('BEGIN')
    const insert = database.prepare('INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?)')

    for (let id = 1; id <= rowsOf(size); id++) {
      const day = new Date(Date.UTC(2020, 0, 1) + id * 60_000).toISOString().slice(0, 16)
      const note = next() % 4 === 0 ? phrase(8) : phrase(2)
      insert.run(id, next() % CUSTOMERS, day, phrase(2), 1 + next() % 9, (next() % 100_000) / 100, note)
    }

    database.exec('COMMIT; CREATE INDEX by_customer ON orders (customer); CREATE INDEX by_day ON orders (day)')
    database.close()

    return readFile(path)
  })
}

function rowsOf (size: number): number {
  return Math.floor(size / ROW_SIZE)
}

/** What SQLite reads of a database for some queries, as the file system of examples/dataset asks for it. */
export async function databaseReadings (bytes: Uint8Array): Promise<Reading[]> {
  const next = random(11)
  const rows = rowsOf(bytes.byteLength)
  const ids = Array.from({ length: QUERIES }, () => 1 + next() % rows)
  const start = 1 + next() % Math.floor(rows / 2)
  const plans: Record<string, string[]> = {
    'one row by its key': [`SELECT * FROM orders WHERE id = ${ids[0]}`],
    [`${QUERIES} rows by their keys`]: ids.map(id => `SELECT * FROM orders WHERE id = ${id}`),
    'the orders of a customer': [`SELECT * FROM orders WHERE customer = ${ids[0] % CUSTOMERS}`],
    '5,000 rows in order': [`SELECT sum(price) FROM orders WHERE id BETWEEN ${start} AND ${start + 4999}`],
    'all rows': ['SELECT sum(amount * price), max(length(note)) FROM orders']
  }
  const readings: Reading[] = []

  for (const [what, queries] of Object.entries(plans)) {
    readings.push({ what, parts: await trace(bytes, queries) })
  }

  return readings
}

/** Run queries on a database that is opened for them. */
async function trace (bytes: Uint8Array, queries: readonly string[]): Promise<Part[]> {
  const parts: Part[] = []
  const file = new RangeFile(bytes.byteLength, (start, end) => {
    parts.push({ offset: start, length: end - start })

    return bytes.slice(start, end)
  })
  const sqlite3 = await sqlite3InitModule()
  const vfs = new RangeVfs(sqlite3, file)

  vfs.install()

  const database = new sqlite3.oo1.DB({ filename: 'orders', flags: 'r', vfs: VFS })

  for (const sql of queries) {
    database.exec({ sql, rowMode: 'array', callback: () => {} })
  }

  database.close()

  return parts
}
