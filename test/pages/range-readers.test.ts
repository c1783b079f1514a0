/** @module-tag long */
/** Libraries that read files by ranges, in a page, from a gateway of another origin: each asks HEAD for the size. */
import { copyFile, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ipfsz } from '@ipfsz/core'
import { createGateway } from '@ipfsz/gateway'
import { createNodeServer } from '@ipfsz/gateway/node'
import { MemoryBlockstore } from 'blockstore-core'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ONE_FILE_BUNDLERS } from '../support/bundles.ts'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { random, text } from '../support/data.ts'
import { listen } from '../support/listen.ts'
import { serve } from '../support/serve.ts'
import type { CodecName } from '@ipfsz/codecs'
import type { Browser, Page } from 'playwright'

const ROWS = 20_000
const LIBRARY = join(import.meta.dirname, '../../node_modules/sql.js-httpvfs/dist')

const SCRIPT = `import ${JSON.stringify(join(import.meta.dirname, 'range-readers-page.ts'))}`

const notes = makeNotes()
let browser: Browser
let directory: string
let site: Awaited<ReturnType<typeof serve>>

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS });
  ({ directory } = await ONE_FILE_BUNDLERS.esbuild(SCRIPT))
  await Promise.all(['sqlite.worker.js', 'sql-wasm.wasm'].map(async name =>
    copyFile(join(LIBRARY, name), join(directory, name))))
  site = await serve(directory)
})

afterAll(async () => {
  await browser?.close()
  site?.close()
  await rm(directory, { recursive: true, force: true })
})

function makeNotes (): string[] {
  const next = random(1)
  const words = Buffer.from(text(100_000)).toString().split(/\s/)
  const word = (): string => words[next() % words.length]

  return Array.from({ length: ROWS }, (_, id) => `${word()} ${word()} ${id}`)
}

async function makeDatabase (): Promise<Buffer> {
  const path = join(tmpdir(), `ipfsz-range-readers-${process.pid}.sqlite`)
  const database = new DatabaseSync(path)

  try {
    database.exec('CREATE TABLE entry (id INTEGER PRIMARY KEY, note TEXT); BEGIN')
    const insert = database.prepare('INSERT INTO entry VALUES (?, ?)')
    notes.forEach((note, id) => { insert.run(id, note) })
    database.exec('COMMIT')
    database.close()

    return await readFile(path)
  } finally {
    await rm(path, { force: true })
  }
}

/** Serves a file from a gateway, and opens a page of another origin. */
async function open (bytes: Uint8Array, codec: CodecName): Promise<{ page: Page, url: string, encodings: string[] }> {
  const blocks = new MemoryBlockstore()
  const fs = ipfsz({ blockstore: blocks })
  const cid = await fs.addBytes(bytes, { compression: { codec, optimize: 'ranges' } })
  const gateway = createGateway({ fs, blocks })
  const encodings: string[] = []
  const { port, close } = await listen(createNodeServer(async request => {
    encodings.push(`${request.method} ${request.headers.get('accept-encoding')}`)

    return gateway(request)
  }))
  const page = await browser.newPage()
  onTestFinished(async () => {
    await page.close()
    await close()
  })
  await page.goto(site.url)
  await page.waitForFunction('window.readDatabase != null')

  return { page, url: `http://127.0.0.1:${port}/ipfs/${cid}`, encodings }
}

describe.each<CodecName>(['zstd', 'gzip', 'brotli'])('of a file that is compressed with %s', codec => {
  it('hyparquet reads rows', async () => {
    const columnData = [{ name: 'note', data: notes, type: 'STRING' as const }]
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED' }))
    const { page, url, encodings } = await open(bytes, codec)

    expect(await page.evaluate(`readParquet('${url}', 15000)`)).toEqual([bytes.byteLength, notes[15_000]])
    expect(encodings).toContainEqual(expect.stringMatching(/^HEAD .*gzip.*br/))
  })

  it('sql.js-httpvfs queries, and reads only a part', async () => {
    const bytes = await makeDatabase()
    const { page, url, encodings } = await open(bytes, codec)
    const [note, bytesRead] = await page.evaluate(`readDatabase('${url}', 15000)`) as [string, number]

    expect(note).toBe(notes[15_000])
    expect(bytesRead).toBeLessThan(bytes.byteLength / 2)
    expect(encodings).toContainEqual(expect.stringMatching(/^HEAD .*gzip.*br/))
  })
})
