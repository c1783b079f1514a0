/** @module-tag nightly */
/** Compressed media and databases in Firefox, through service workers: the examples, and the demo page. */
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ipfsz } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage as buildDataset } from '../../examples/dataset/build.ts'
import { buildPage as buildExample } from '../../examples/media/build.ts'
import { buildPage as buildDemo } from '../../examples/web-app/build.ts'
import { startDemo } from '../../examples/web-app/demo.ts'
import { formatLink } from '../../examples/web-app/src/ipfs/link.ts'
import { addSite, startTestGateway } from '../pages/worker-gateway.ts'
import { text } from '../support/data.ts'
import { ATTACKS, foundNothing, SITE_HOST, startForeignHost } from '../support/foreign-host.ts'
import { serve } from '../support/serve.ts'
import { loadInPage, startVersionedSite } from '../support/versioned-site.ts'
import { startFirefox } from './clients/clients.ts'
import { seekInPlayer } from './clients/in-client.ts'
import { drawPicture, longWav, webm } from './clients/media.ts'
import type { CID } from 'multiformats/cid'
import type { Browser } from 'puppeteer-core'

const DIST = join(import.meta.dirname, '../../dist')
/** Long enough that Firefox does not read all of it ahead. */
const LONG = 900
const SECONDS = 300
const PICTURE = { width: 64, height: 48 }
const NO_LIMIT = { timeout: 0 }

let firefox: Browser

beforeAll(async () => {
  firefox = await startFirefox()
})

afterAll(async () => {
  await firefox?.close()
})

async function makeDatabase (): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-firefox-'))
  const path = join(directory, 'list.sqlite')
  const database = new DatabaseSync(path)

  database.exec('CREATE TABLE list (id INTEGER PRIMARY KEY, word TEXT); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL ' +
    "SELECT i + 1 FROM n WHERE i < 30000) INSERT INTO list SELECT i, 'word ' || i FROM n")
  database.close()

  try {
    return await readFile(path)
  } finally {
    await rm(directory, { recursive: true })
  }
}

describe('Firefox', () => {
  it('plays and seeks in sound and video of the example', async () => {
    const directory = join(DIST, 'example-media')
    const blocks = new MemoryBlockstore()
    const [gateway, page] = await Promise.all([startTestGateway(blocks), firefox.newPage(), buildExample(directory)])
    const site = await serve(directory)

    try {
      await page.goto(site.url, NO_LIMIT)
      const webp = Buffer.from(await page.evaluate(drawPicture, PICTURE), 'base64')
      const fs = ipfsz({ blockstore: blocks })
      const root = await addSite(fs, {
        'sound.wav': longWav(LONG),
        'film.webm': webm({ ...PICTURE, seconds: 20, webp })
      })

      for (const [name, seconds] of [['sound.wav', LONG], ['film.webm', 20]] as const) {
        const query = new URLSearchParams({ address: `${root}/${name}`, gateway: gateway.url })
        await page.goto(`${site.url}?${query}`, NO_LIMIT)
        await page.waitForSelector('audio, video', NO_LIMIT)
        expect(await page.evaluate(seekInPlayer)).toEqual({
          duration: seconds,
          reached: expect.closeTo(seconds * 0.9, 0)
        })

        if (seconds === LONG) {
          const text = await page.$eval('#fetched', element => element.textContent)
          const { storedSize } = await fs.stat(root, { path: name })
          const fetched = Number(/, ([\d.]+) MB fetched/.exec(text)?.[1]) * 1e6
          expect(fetched).toBeGreaterThan(0)
          expect(fetched).toBeLessThan(Number(storedSize) * 0.7)
        }
      }
    } finally {
      site.close()
      await gateway.close()
    }
  })

  it('queries a compressed database', async () => {
    const directory = join(DIST, 'example-dataset')
    const blocks = new MemoryBlockstore()
    const fs = ipfsz({ blockstore: blocks })
    const cid = await fs.addBytes(await makeDatabase(), { compression: { codec: 'auto' } })
    const [gateway, page] = await Promise.all([startTestGateway(blocks), firefox.newPage(), buildDataset(directory)])
    const site = await serve(directory)

    try {
      const query = new URLSearchParams({ compressed: `${cid}`, gateway: gateway.url })
      await page.goto(`${site.url}?${query}`, NO_LIMIT)
      await page.waitForSelector('#query:not([hidden])', NO_LIMIT)
      await page.$eval('textarea', element => { element.value = 'SELECT word FROM list WHERE id = 15000' })
      await page.click('#run')
      await page.waitForSelector('td, [role=alert]', NO_LIMIT)

      expect(await page.$eval('#result', element => element.textContent)).toContain('word 15000')
      expect(gateway.asked.length).toBeLessThan(8)
    } finally {
      site.close()
      await gateway.close()
    }
  })

  it('plays a long file of a peer on the demo page, and seeks in it', async () => {
    const directory = join(DIST, 'demo-firefox')
    await buildDemo(directory)
    const { url, peer, close } = await startDemo(directory)

    try {
      const cid = await peer.fs.addBytes(longWav(SECONDS), { compression: { frameSize: 1024 * 1024 } })
      const page = await firefox.newPage()
      const link = formatLink({ address: { cid, path: '' }, peers: [peer.address], filename: 'long.wav' })
      await page.goto(new URL(link, url).href, NO_LIMIT)
      await page.waitForSelector('audio', NO_LIMIT)

      expect(await page.$eval('audio', player => player.getAttribute('src'))).toMatch(/^media\//)
      expect(await page.evaluate(seekInPlayer)).toEqual({
        duration: SECONDS,
        reached: expect.closeTo(SECONDS * 0.9, 0)
      })
    } finally {
      await close()
    }
  })

  it('shows pages of strangers below the host name of a site in an origin of their own', async () => {
    const { origin, evil, close } = await startForeignHost(SITE_HOST, addSite)

    try {
      const page = await firefox.newPage()

      for (const path of ATTACKS) {
        await page.goto(`${origin}/ipfs/${evil}/${path}`, NO_LIMIT)
        await page.waitForSelector('[data-found]', NO_LIMIT)
        foundNothing(await page.$eval('[data-found]', element => element.getAttribute('data-found')))
      }
    } finally {
      await close()
    }
  })
  it('gets each release of a file whose next version has a base, whether it has dictionaries or not', async () => {
    const { url, publish, close } = await startVersionedSite()
    const releases = [text(100_000), Buffer.concat([text(50_000), Buffer.from('new'), text(60_000)])]

    try {
      const page = await firefox.newPage()
      await page.goto(url, NO_LIMIT)
      let base: CID | undefined

      for (const bytes of releases) {
        base = await publish('app.js', bytes, base)
        const hash = createHash('sha256').update(bytes).digest('hex')

        // the second time, the browser has what it kept of the first
        expect((await page.evaluate(loadInPage, '/app.js')).hash).toBe(hash)
        expect((await page.evaluate(loadInPage, '/app.js')).hash).toBe(hash)
      }
    } finally {
      await close()
    }
  })
})
