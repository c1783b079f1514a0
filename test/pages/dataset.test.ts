/** @module-tag long */
/** `examples/dataset` in Chromium: SQLite queries of a compressed database, of which the page fetches some blocks. */
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { buildPage } from '../../examples/dataset/build.ts'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { random, text } from '../support/data.ts'
import { serve } from '../support/serve.ts'
import { startTestGateway } from './worker-gateway.ts'
import type { CID } from 'multiformats/cid'
import type { Browser, Page } from 'playwright'
import type { TestGateway } from './worker-gateway.ts'

const DIRECTORY = join(import.meta.dirname, '../../dist/example-dataset')
const ROWS = 60_000

const blocks = new MemoryBlockstore()
const fs = ipfsz({ blockstore: blocks })

let browser: Browser
let site: Awaited<ReturnType<typeof serve>>
let gateway: TestGateway
let size: number
let compressed: CID
let plain: CID

beforeAll(async () => {
  await buildPage(DIRECTORY)
  browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS })
  site = await serve(DIRECTORY)
  gateway = await startTestGateway(blocks)

  const bytes = await makeDatabase()
  size = bytes.byteLength
  compressed = await fs.addBytes(bytes, { compression: { codec: 'auto' } })
  plain = await fs.addBytes(bytes, { compression: { codec: 'none' } })
})

afterAll(async () => {
  await browser?.close()
  site?.close()
  await gateway?.close()
})

/** Measurements of stations, in the mode that most programs leave a database in. */
async function makeDatabase (): Promise<Buffer> {
  const path = join(tmpdir(), `ipfsz-dataset-${process.pid}.sqlite`)
  const database = new DatabaseSync(path)
  const next = random(1)
  const words = Buffer.from(text(100_000)).toString().split(/\s/)

  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE measurement (id INTEGER PRIMARY KEY, station TEXT, note TEXT)')
  database.exec('BEGIN')
  const insert = database.prepare('INSERT INTO measurement VALUES (?, ?, ?)')

  for (let id = 1; id <= ROWS; id++) {
    const note = Array.from({ length: 8 }, () => words[next() % words.length]).join(' ')
    insert.run(id, `station ${next() % 5000}`, `${note} ${id}`)
  }

  database.exec('COMMIT; CREATE INDEX by_station ON measurement (station)')
  database.close()

  try {
    return await readFile(path)
  } finally {
    await Promise.all(['', '-wal', '-shm'].map(async end => rm(`${path}${end}`, { force: true })))
  }
}

async function open (init: Record<string, string> = {}): Promise<Page> {
  const context = await browser.newContext()
  onTestFinished(async () => context.close())
  // the machine may be busy
  context.setDefaultTimeout(0)
  const page = await context.newPage()
  const query = { compressed: `${compressed}`, plain: `${plain}`, gateway: gateway.url, ...init }
  await page.goto(`${site.url}?${new URLSearchParams(query)}`)

  return page
}

/** Run a query on both sides. Returns the rows, and the bytes that each side fetched for it. */
async function run (page: Page, sql: string): Promise<{ rows: string[][], fetched: number[] }> {
  await page.fill('textarea', sql)
  await page.click('#run')
  await page.locator('#stop:disabled').waitFor()

  const rows = await page.locator('tbody tr').evaluateAll(lines => (
    lines.map(line => Array.from(line.children, ({ textContent }) => textContent ?? ''))
  ))
  const texts = await page.locator('.side p:first-of-type').allInnerTexts()

  return { rows, fetched: texts.map(text => Number(/, ([\d.]+) MB/.exec(text)?.[1]) * 1e6) }
}

describe('the example for datasets', () => {
  it('answers queries after fetching some blocks, fewer than of the uncompressed file', async () => {
    const page = await open()
    const one = await run(page, 'SELECT id, note FROM measurement WHERE id = 30000')

    expect(one.rows).toEqual([['30000', expect.stringMatching(/ 30000$/)]])
    expect(one.fetched[0]).toBeGreaterThan(0)
    expect(one.fetched[0]).toBeLessThan(one.fetched[1] / 4)
    expect(one.fetched[0]).toBeLessThan(size / 20)

    const some = await run(page, "SELECT count(*), min(id) FROM measurement WHERE station = 'station 77'")
    expect(Number(some.rows[0][0])).toBeGreaterThan(0)
    expect(some.fetched[0]).toBeLessThan(some.fetched[1])

    // all of it, and no more than is stored
    const { rows, fetched } = await run(page, 'SELECT count(*), sum(length(note) > 0) FROM measurement')
    expect(rows).toEqual([[`${ROWS}`, `${ROWS}`]])
    const { storedSize } = await fs.stat(compressed)
    expect(fetched[0]).toBeLessThanOrEqual(Number(storedSize))

    // SQLite or this page has read it before
    const before = gateway.asked.length
    expect((await run(page, 'SELECT note FROM measurement WHERE id = 30000')).rows).toHaveLength(1)
    expect(gateway.asked).toHaveLength(before)
  })

  it('shows what is wrong, and goes on', async () => {
    const page = await open({ plain: '' })
    const failing = async (sql: string): Promise<string> => {
      await page.fill('textarea', sql)
      await page.click('#run')

      return page.innerText('[role=alert]')
    }

    gateway.manner = 'not found'
    expect(await failing('SELECT 1')).toContain('No gateway sent the block')
    gateway.manner = 'right'
    expect(await failing('SELECT unknown')).toContain('no such column')
    expect(await failing('DELETE FROM measurement')).toContain('readonly')
    expect(await failing("SELECT '<b>a</b>' FROM none")).toContain('no such table')

    await page.fill('textarea', "SELECT '<b>a</b>', x'0102', NULL, date('2000-01-01')")
    await page.click('#run')
    await page.locator('td').first().waitFor()
    expect(await page.locator('td').allInnerTexts()).toEqual(['<b>a</b>', '2 bytes', 'NULL', '2000-01-01'])
  })

  it('ends a query that takes too long', async () => {
    const page = await open({ plain: '' })
    await page.fill('textarea', 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n')
    await page.click('#run')
    await page.click('#stop')
    expect(await page.innerText('[role=alert]')).toBe('The query was stopped')

    await page.fill('textarea', 'SELECT count(*) FROM measurement')
    await page.click('#run')
    await page.locator('td').first().waitFor()
    expect(await page.innerText('td')).toBe(`${ROWS}`)
  })

  it('refuses a file that is no database', async () => {
    const other = await fs.addBytes(text(300_000), { compression: { optimize: 'ranges' } })
    const page = await open({ compressed: `${other}`, plain: '' })
    await page.click('#run')

    expect(await page.innerText('[role=alert]')).toContain('not a database')
  })
})
