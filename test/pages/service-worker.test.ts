/** @module-tag long */
/** `@ipfsz/gateway/service-worker` in Chromium: pages of compressed files, without a server that knows of them. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { ipfsz, unmark } from '@ipfsz/core'
import { MemoryBlockstore } from 'blockstore-core'
import { chromium } from 'playwright'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { seekAndPlay } from '../interop/clients/in-client.ts'
import { wav } from '../interop/clients/media.ts'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { noise, text } from '../support/data.ts'
import { keptBlocks } from '../support/kept-blocks.ts'
import { ask, finishReading, installWorker, registerWorker, startReading } from './in-worker-page.ts'
import { addSite, startTestGateway } from './worker-gateway.ts'
import { bundleWorker, startSite } from './worker-page.ts'
import type { Browser, Page } from 'playwright'
import type { Manner, TestGateway } from './worker-gateway.ts'
import type { Site } from './worker-page.ts'
import type { CID } from 'multiformats/cid'

/** The most bytes of a worker with zstd alone, gzipped. */
const MAX_WORKER_SIZE = 106_000

const LONG = text(5_000_000)
const NOISE = noise(3_000_000)

/** In the second leaf of the noise. */
const HELD_AFTER = 1_500_000

/** The smallest frame, of which most are decompressed ahead, and how many a long file has. */
const FRAME = 64 * 1024
const FRAMES = 128

const FILES = {
  'index.html': '<!doctype html><title>Index</title><link rel="stylesheet" href="style.css"><body>first' +
    '<script>document.title = "It ran"</script>',
  'style.css': 'body { color: rgb(1, 2, 3) }',
  'sub/page.html': '<!doctype html><title>A page below</title>',
  'long.txt': LONG,
  'noise.bin': NOISE,
  'tone.wav': wav(10)
}

let browser: Browser
let worker: Buffer
let smallest: Buffer
let root: CID
let gateway: TestGateway
let site: Site

const blocks = new MemoryBlockstore()
const fs = ipfsz({ blockstore: blocks })

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...CHROMIUM_FLAGS, '--autoplay-policy=no-user-gesture-required']
  });
  ({ worker, smallest } = await bundleWorker())
  root = await addSite(fs, FILES)
})

afterAll(async () => {
  await browser?.close()
})

beforeEach(async () => {
  gateway = await startTestGateway(blocks)
  site = await startSite(worker)

  return async () => {
    await site.close()
    await gateway.close()
  }
})

/** The address of the worker, with how it is set up. */
function workerUrl (init: Record<string, string> = {}): string {
  return `/worker.js?${new URLSearchParams({ gateway: gateway.url, ...init })}`
}

/** A page that has the worker. */
async function openPage (init: Record<string, string> = {}): Promise<Page> {
  const context = await browser.newContext()
  onTestFinished(async () => context.close())

  const page = await context.newPage()
  await page.goto(site.url)
  await page.evaluate(registerWorker, workerUrl(init))

  return page
}

/** The color of the text, which the style sheet sets. */
async function colorOf (page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.body).color)
}

/** End all workers of the browser, as it does itself when they are idle, or too large. */
async function killWorkers (page: Page): Promise<void> {
  const id = await workerId(page)
  const session = await page.context().newCDPSession(page)

  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.stopAllWorkers')
  await session.detach()
  await expect.poll(async () => workerId(page)).not.toBe(id)
}

/** Wait until the worker has stored the blocks of a file. It does so in the background. */
async function isKept (page: Page, path: string): Promise<void> {
  const { storedSize } = await fs.stat(root, { path })

  await expect.poll(async () => (await page.evaluate(keptBlocks)).size).toBeGreaterThanOrEqual(Number(storedSize))
}

async function workerId (page: Page): Promise<string> {
  return JSON.parse((await page.evaluate(ask, { url: '/worker' })).text).id
}

function sha256 (bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

describe('a service worker', () => {
  it('has at most 106 kB with zstd alone, gzipped', () => {
    expect(gzipSync(smallest, { level: 9 }).byteLength).toBeLessThanOrEqual(MAX_WORKER_SIZE)
  })

  it('answers with original bytes, ranges, types and pages, from blocks of a trustless gateway', async () => {
    const page = await openPage()
    const get = async (path: string, headers = {}, method = 'GET'): ReturnType<typeof ask> =>
      page.evaluate(ask, { url: `/ipfs/${path}`, headers, method })

    const whole = await get(`${root}/long.txt`)
    expect(whole).toMatchObject({ status: 200, length: LONG.byteLength, sha256: sha256(LONG) })
    expect(whole.headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8', 'accept-ranges': 'bytes' })
    expect(whole.headers).not.toHaveProperty('content-encoding')

    expect(await get(`${root}/long.txt`, { range: 'bytes=1000000-2999999' })).toMatchObject({
      status: 206,
      sha256: sha256(LONG.subarray(1_000_000, 3_000_000)),
      headers: { 'content-range': `bytes 1000000-2999999/${LONG.byteLength}`, etag: whole.headers.etag }
    })
    expect(await get(`${root}/long.txt`, { 'if-none-match': whole.headers.etag })).toMatchObject({ status: 304 })
    expect(await get(`${root}/long.txt`, {}, 'HEAD')).toMatchObject({
      length: 0,
      headers: { 'content-length': `${LONG.byteLength}` }
    })
    expect(await get(`${root}/`)).toMatchObject({ status: 200, text: FILES['index.html'] })
    expect(await get(`${root}/sub/`)).toMatchObject({
      status: 200,
      text: expect.stringContaining('Index of')
    })
    expect(await get(`${root}/none`)).toMatchObject({ status: 404 })
    // a plain CID, of any gateway
    expect(await get(`${unmark(root)}/style.css`)).toMatchObject({ status: 200 })

    expect(gateway.asked.length).toBeGreaterThan(0)
    expect(gateway.asked.filter(path => !/^\/ipfs\/(bafy|bafk)\w+.*\?format=(raw|car)/.test(path))).toEqual([])
  })

  it('shows a page in one response of the gateway, with scripts only if it is trusted', async () => {
    const stranger = await openPage()

    await stranger.goto(`${site.url}/ipfs/${root}/index.html`)
    expect([await stranger.title(), await colorOf(stranger)]).toEqual(['Index', 'rgb(1, 2, 3)'])

    const page = await openPage({ trusted: `${root}` })
    const before = gateway.asked.length
    await page.goto(`${site.url}/ipfs/${root}/index.html`)
    expect([await page.title(), await colorOf(page)]).toEqual(['It ran', 'rgb(1, 2, 3)'])
    expect(gateway.asked.slice(before).filter(path => path.includes('index.html'))).toHaveLength(1)
    expect(gateway.asked.length - before).toBeLessThanOrEqual(2)

    // a directory without a slash is left for one with it
    await page.goto(`${site.url}/ipfs/${root}`)
    expect(page.url()).toBe(`${site.url}/ipfs/${root}/`)
  })

  it('plays sound, and seeks in it', async () => {
    const page = await openPage()

    expect(await page.evaluate(seekAndPlay, { kind: 'audio' as const, url: `/ipfs/${root}/tone.wav` })).toMatchObject({
      duration: 10,
      reached: expect.closeTo(9, 0)
    })
  })

  it('lets other requests come between any two frames of long files', async () => {
    // the same frame again and again, in the same blocks: nothing is waited for but to decompress them
    const cid = await fs.addByteStream(Array<Uint8Array>(FRAMES).fill(text(FRAME)), {
      compression: { codec: 'zstd', level: 1, frameSize: FRAME }
    })
    const page = await openPage({ count: 'frames' })
    const url = `/ipfs/${cid}`

    expect(await page.evaluate(async url => Promise.all([url, url].map(async () => {
      const body = await (await fetch(url)).arrayBuffer()

      return body.byteLength
    })), url)).toEqual([FRAMES * FRAME, FRAMES * FRAME])

    const { frames } = JSON.parse((await page.evaluate(ask, { url: '/worker' })).text)
    expect(frames.total).toBeGreaterThanOrEqual(FRAMES)
    expect(frames.atOnce).toBe(1)
  })

  it('leaves all other requests alone', async () => {
    const page = await openPage()
    const others = [
      { url: '/other' },
      { url: '/ipfs/' },
      { url: '/ipfs/about' },
      { url: `/ipfs/${root}/a`, method: 'POST' },
      { url: `/ipfs/${root}?format=car` },
      { url: `/ipfs/${root}`, headers: { accept: 'application/vnd.ipld.raw' } }
    ]
    site.asked.length = 0

    for (const other of others) {
      expect(await page.evaluate(ask, other)).toMatchObject({ status: 418, text: 'the server of the site' })
    }

    expect(site.asked).toEqual(others.map(({ url, method = 'GET' }) => `${method} ${url}`))
    // another origin
    expect(await page.evaluate(ask, { url: `${gateway.url}ipfs/${unmark(root)}?format=raw` }))
      .toMatchObject({ status: 200, headers: { 'content-type': 'application/vnd.ipld.raw' } })
  })

  it('works without a network for what was seen', async () => {
    const page = await openPage({ trusted: `${root}` })
    await page.goto(`${site.url}/ipfs/${root}/`)
    await page.evaluate(ask, { url: 'long.txt' })
    await isKept(page, 'long.txt')

    await gateway.close()
    await killWorkers(page)
    await page.reload()
    expect(await page.title()).toBe('It ran')
    expect(await page.evaluate(ask, { url: 'long.txt' })).toMatchObject({ status: 200, sha256: sha256(LONG) })

    await page.goto(`${site.url}/ipfs/${root}/noise.bin?filename=a.html`)
    expect(await page.textContent('.status')).toBe('504 GatewaysFailedError')
    expect(await page.textContent('.message')).toContain('No gateway sent the block')
  })

  it.each<[Manner, string]>([
    ['wrong bytes', 'sent wrong bytes'],
    ['a page', 'text/html'],
    ['not found', 'answered with the status 404'],
    ['broken off', 'No gateway sent the block']
  ])('shows what is wrong with a gateway that answers with %s, and tries again', async (manner, reason) => {
    const page = await openPage({ trusted: `${root}` })
    gateway.manner = manner
    const response = await page.goto(`${site.url}/ipfs/${root}/index.html`)

    expect([response?.status(), await page.textContent('.status')]).toEqual([504, '504 GatewaysFailedError'])
    expect(await page.textContent('.message')).toContain(reason)

    gateway.manner = 'right'
    await page.click('a')
    await expect.poll(async () => page.title()).toBe('It ran')
  })

  it('says that a gateway keeps silent, and tries again', async () => {
    const page = await openPage({ trusted: `${root}`, timeout: '1000' })
    gateway.manner = 'silence'
    const response = await page.goto(`${site.url}/ipfs/${root}/index.html`)

    expect(response?.status()).toBe(504)
    expect(await page.textContent('.status')).toMatch(/^504 (FetchStalled|GatewaysFailed)Error$/)

    gateway.manner = 'right'
    // on a busy machine, a second may be too short for an answer
    while (await page.title() !== 'It ran') {
      await Promise.all([page.waitForEvent('load'), page.getByText('Try again', { exact: true }).click()])
    }
  })

  it('asks another gateway if one sends wrong bytes', async () => {
    const bad = await startTestGateway(blocks)
    onTestFinished(bad.close)
    bad.manner = 'wrong bytes'

    const page = await openPage()
    const both = new URLSearchParams([['gateway', bad.url], ['gateway', gateway.url]])
    await page.evaluate(registerWorker, `/worker.js?${both}`)

    expect(await page.evaluate(ask, { url: `/ipfs/${root}/long.txt` })).toMatchObject({ sha256: sha256(LONG) })
    expect(bad.asked.length).toBeGreaterThan(0)
  })

  it('is followed by another one if it is ended in the middle of a response', async () => {
    const page = await openPage()
    const release = gateway.hold(HELD_AFTER)
    await page.evaluate(startReading, `/ipfs/${root}/noise.bin`)
    const end = page.evaluate(finishReading)

    await killWorkers(page)
    // a body that is cut is never a shorter file
    expect(await end).toBe('TypeError')
    release()
    expect(await page.evaluate(ask, { url: `/ipfs/${root}/noise.bin` })).toMatchObject({ sha256: sha256(NOISE) })
    await isKept(page, 'noise.bin')
  })

  it('keeps no more than it may, and drops what was used longest ago', async () => {
    const page = await openPage({ cache: '4000000' })

    for (const name of ['long.txt', 'noise.bin', 'tone.wav']) {
      await page.evaluate(ask, { url: `/ipfs/${root}/${name}` })
    }

    await isKept(page, 'noise.bin')
    expect((await page.evaluate(keptBlocks)).total).toBeLessThanOrEqual(4_000_000)
  })

  it('goes on without a cache if the browser has no room, or stores nothing', async () => {
    const full = await openPage()
    const session = await full.context().newCDPSession(full)
    await session.send('Storage.overrideQuotaForOrigin', { origin: site.url, quotaSize: 1_000_000 })

    for (const page of [full, await openPage({ private: 'yes' })]) {
      for (const [name, bytes] of Object.entries({ 'noise.bin': NOISE, 'long.txt': LONG })) {
        expect(await page.evaluate(ask, { url: `/ipfs/${root}/${name}` })).toMatchObject({ sha256: sha256(bytes) })
      }
    }

    expect((await full.evaluate(keptBlocks)).size).toBeLessThanOrEqual(1_000_000)
  })

  it('makes way for another version, which shares its cache, and ends what it was sending', async () => {
    const page = await openPage({ version: 'old' })
    const version = async (): Promise<string> => JSON.parse((await page.evaluate(ask, { url: '/worker' })).text).version
    await page.evaluate(ask, { url: `/ipfs/${root}/long.txt` })
    await isKept(page, 'long.txt')

    const release = gateway.hold(HELD_AFTER)
    await page.evaluate(startReading, `/ipfs/${root}/noise.bin`)
    expect(await version()).toBe('old')
    const replaced = page.evaluate(registerWorker, workerUrl({ version: 'new' }))
    const end = page.evaluate(finishReading)
    release()

    expect(await end).toBe(NOISE.byteLength)
    await replaced
    expect(await version()).toBe('new')

    const before = gateway.asked.length
    expect(await page.evaluate(ask, { url: `/ipfs/${root}/long.txt` })).toMatchObject({ sha256: sha256(LONG) })
    expect(gateway.asked).toHaveLength(before)
  })
})

/** The files of a release of a site. */
function pages (release: string): Record<string, string> {
  return {
    'index.html': `<!doctype html><title>${release}</title><link rel="stylesheet" href="/style.css">` +
      '<a href="sub">go</a>',
    'style.css': 'body { color: rgb(1, 2, 3) }',
    'sub/index.html': `<!doctype html><title>${release} below</title><script>document.title += " ran"</script>`,
    '404.html': '<!doctype html><title>Not here</title>',
    _redirects: '/old /sub/ 302\n/* /404.html 404'
  }
}

describe('a service worker with a site', () => {
  it('answers all paths from its root: deep links, redirects, what is missing, and offline', async () => {
    const page = await openPage({ root: `${await addSite(fs, pages('First'))}` })
    const titleOf = async (path: string): Promise<[number | undefined, string, string]> => {
      const response = await page.goto(`${site.url}${path}`)

      return [response?.status(), await page.title(), new URL(page.url()).pathname]
    }

    expect(await titleOf('/')).toEqual([200, 'First', '/'])
    expect(await colorOf(page)).toBe('rgb(1, 2, 3)')
    await page.click('a')
    await expect.poll(async () => page.title()).toBe('First below ran')
    expect(new URL(page.url()).pathname).toBe('/sub/')
    expect(await titleOf('/old')).toEqual([200, 'First below ran', '/sub/'])
    expect(await titleOf('/none/at/all')).toEqual([404, 'Not here', '/none/at/all'])
    expect(await page.evaluate(ask, { url: '/other' })).toMatchObject({ status: 418 })

    await gateway.close()
    await page.goBack()
    expect(await page.title()).toBe('First below ran')
    expect(await titleOf('/')).toEqual([200, 'First', '/'])
  })

  it('keeps the release of a page that opens another tab, or loads a frame', async () => {
    const [first, second] = [await addSite(fs, pages('First')), await addSite(fs, pages('Second'))]
    const page = await openPage({ root: `${first}` })
    await page.goto(site.url)
    await page.evaluate(installWorker, workerUrl({ root: `${second}` }))

    await page.evaluate(async () => new Promise(resolve => {
      const frame = document.createElement('iframe')
      frame.addEventListener('load', resolve)
      frame.src = '/sub/'
      document.body.append(frame)
    }))
    expect(await page.frames()[1].title()).toBe('First below ran')

    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.evaluate(() => { document.querySelector('a')?.setAttribute('target', '_blank') })
        .then(async () => page.click('a'))
    ])
    await expect.poll(async () => tab.title().catch(() => '')).toBe('First below ran')
    expect(await page.evaluate(ask, { url: '/index.html' })).toMatchObject({ text: expect.stringContaining('First') })

    // the frame goes with its page
    await tab.close()
    await expect.poll(async () => {
      await page.reload()

      return page.title()
    }).toBe('Second')
  })

  it('shows a new release when the only page is left by a link', async () => {
    const [first, second] = [await addSite(fs, pages('First')), await addSite(fs, pages('Second'))]
    const page = await openPage({ root: `${first}` })
    await page.goto(site.url)
    await page.evaluate(installWorker, workerUrl({ root: `${second}` }))
    await page.click('a')
    await expect.poll(async () => {
      const title = await page.title().catch(() => '')

      // the worker before gives up the page after some seconds if the machine is too busy for the next one to start
      await (title === 'First below ran' ? page.reload() : undefined)

      return title
    }).toBe('Second below ran')
  })

  it('shows a new release when the last page is loaded again, and the old one to several that are open', async () => {
    const [first, second] = [await addSite(fs, pages('First')), await addSite(fs, pages('Second'))]
    const page = await openPage({ root: `${first}` })
    const other = await page.context().newPage()
    // an address with a fragment is one that `Refresh` would not load again
    await page.goto(`${site.url}/?a=b#part`)
    await other.goto(`${site.url}/sub/`)

    await page.evaluate(installWorker, workerUrl({ root: `${second}` }))
    await page.reload()
    expect(await page.title()).toBe('First')
    await other.reload()
    expect(await other.title()).toBe('First below ran')

    await other.close()
    // the browser may still count the page that was closed
    await expect.poll(async () => {
      await page.reload()

      return page.title()
    }).toBe('Second')
    expect(page.url()).toBe(`${site.url}/?a=b#part`)
  })
})
