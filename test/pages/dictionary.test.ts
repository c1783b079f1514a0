/** Compression dictionaries (RFC 9842) in Chromium, which has them without any flag, over https and on loopback. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { unmark } from '@ipfsz/core'
import { createCompressor } from '@ipfsz/gateway'
import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findChromium, SITE_HOST, siteFlags } from '../support/chromium.ts'
import { noise, text } from '../support/data.ts'
import { loadInPage, startVersionedSite } from '../support/versioned-site.ts'
import type { GatewayInit } from '@ipfsz/gateway'
import type { Browser, Page } from 'playwright'
import type { Proxy, VersionedSite } from '../support/versioned-site.ts'

let browser: Browser

beforeAll(async () => { browser = await chromium.launch({ executablePath: findChromium(), args: siteFlags() }) })
afterAll(async () => { await browser?.close() })

const KIB = 1024

/** Releases of a bundle, each of which changes a little of the one before. */
const random = Buffer.from(text(900 * KIB))
const FIRST = random.subarray(0, 400 * KIB)
const SECOND = Buffer.concat([
  FIRST.subarray(0, 100 * KIB), random.subarray(400 * KIB, 401 * KIB), FIRST.subarray(101 * KIB)
])
const THIRD = Buffer.concat([
  SECOND.subarray(0, 300 * KIB), random.subarray(402 * KIB, 403 * KIB), SECOND.subarray(300 * KIB)
])
const FOURTH = Buffer.concat([THIRD.subarray(0, 10 * KIB), random.subarray(404 * KIB, 405 * KIB), THIRD])
/** Larger than the window of most frames, and than what a region of a frame of 1 MiB may have. */
const LARGE = Buffer.concat([random, noise(4000 * KIB), random.subarray(0, 700 * KIB)])
const LARGER = Buffer.concat([LARGE.subarray(0, 300 * KIB), FIRST.subarray(0, KIB), LARGE.subarray(200 * KIB)])
const OTHER = random.subarray(500 * KIB, 700 * KIB)

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Bytes in a script that says which release it is. */
function script (bytes: Uint8Array, release: number): Buffer {
  return Buffer.concat([Buffer.from('/*'), bytes, Buffer.from(`*/ document.title = '${release}'`)])
}

interface Site extends VersionedSite {
  page: Page
  load: (path: string) => ReturnType<typeof loadInPage>
}

/** A site, and a page of it. */
async function openSite (proxy?: Proxy, init?: GatewayInit, ttl?: number): Promise<Site> {
  const site = await startVersionedSite(proxy, undefined, init, ttl)
  const context = await browser.newContext()
  const page = await context.newPage()
  onTestFinished(async () => {
    await context.close()
    await site.close()
  })
  await page.goto(site.url)

  return { ...site, page, load: async path => page.evaluate(loadInPage, path) }
}

/** Load a file until the browser has it as a dictionary, which it stores after the response. */
async function loadAsDictionary ({ load, sent }: Site, path: string): Promise<void> {
  await expect.poll(async () => {
    await load(path)

    return sent().dictionary
  }).not.toBe(null)
}

describe('a visitor who comes back after a release', () => {
  it('fetches what changed of each later release, which has the base of the one before', async () => {
    const site = await openSite()
    const first = await site.publish('app.js', FIRST)
    await loadAsDictionary(site, '/app.js')
    const second = await site.publish('app.js', SECOND, first)
    expect((await site.load('/app.js')).hash).toBe(sha256(SECOND))
    await site.publish('app.js', THIRD, second)
    const { hash, bytes } = await site.load('/app.js')

    expect(site.sent().coding).toBe('dcz')
    expect(hash).toBe(sha256(THIRD))
    expect(bytes).toBeLessThan(0.05 * gzipSync(THIRD).byteLength)
  })

  it('runs the script of the new release', async () => {
    const site = await openSite()
    const first = await site.publish('app.js', script(FIRST, 1))
    await loadAsDictionary(site, '/app.js')
    await site.publish('app.js', script(SECOND, 2), first)
    await site.page.evaluate(async () => new Promise<unknown>((resolve, reject) => {
      const element = document.createElement('script')
      Object.assign(element, { src: '/app.js?2', onload: resolve, onerror: reject })
      document.head.append(element)
    }))

    expect(site.sent().coding).toBe('dcz')
    expect(await site.page.title()).toBe('2')
  })
})

describe('a visitor who comes back with what a browser may have', { tags: 'nightly' }, () => {
  it.each([
    ['one frame', FIRST, SECOND, undefined],
    ['several frames', FIRST.subarray(0, 180 * KIB), SECOND.subarray(0, 180 * KIB), 64 * KIB],
    ['one frame of a file that is larger than 1 MiB', LARGE, LARGER, 8 * 1024 * KIB]
  ])('fetches what changed, in %s', async (_, before, next, frameSize) => {
    const site = await openSite()
    const first = await site.publish('app.js', before)
    await loadAsDictionary(site, '/app.js')
    await site.publish('app.js', next, first, frameSize)
    const { hash, bytes } = await site.load('/app.js')

    expect(site.sent().coding).toBe('dcz')
    expect(hash).toBe(sha256(next))
    expect(bytes).toBeLessThan(0.05 * gzipSync(next).byteLength)
  })

  it.each([
    'index-', 'api_@ipfsz_core.md.', "!$&',;=[slug]-", '(group)-a+b:c*d-'
  ])('fetches what changed if the bundle has another name: %s', async name => {
    const site = await openSite()
    const first = await site.publish(`${name}Bx1Hs_kq.js`, FIRST)
    await loadAsDictionary(site, `/${name}Bx1Hs_kq.js`)
    await site.publish(`${name}C2dE3f-g.js`, SECOND, first)
    const { hash, bytes } = await site.load(`/${name}C2dE3f-g.js`)

    expect(site.sent().coding).toBe('dcz')
    expect(hash).toBe(sha256(SECOND))
    expect(bytes).toBeLessThan(0.05 * gzipSync(SECOND).byteLength)
  })

  it('gets the right bytes with a dictionary of two releases ago', async () => {
    const site = await openSite()
    await site.publish('app.js', FIRST)
    await loadAsDictionary(site, '/app.js')
    await site.publish('app.js', THIRD, await site.publish('other.js', SECOND))

    expect((await site.load('/app.js')).hash).toBe(sha256(THIRD))
    expect(site.sent()).toEqual({ coding: null, dictionary: expect.any(String) })
  })

  it('keeps as its next dictionary what it got as a difference, at a gateway that compresses, if much changed', async (
  ) => {
    const site = await openSite({}, { compressor: createCompressor({ files: true, cpuShare: 100 }) })
    let base = await site.publish('app.js', FIRST)
    await loadAsDictionary(site, '/app.js')
    const changed = Buffer.concat([FIRST.subarray(40 * KIB), random.subarray(600 * KIB, 640 * KIB)])
    const next = Buffer.concat([changed.subarray(0, 10 * KIB), random.subarray(700 * KIB, 740 * KIB), changed])

    for (const bytes of [changed, next]) {
      base = await site.publish('app.js', bytes, base)
      const loaded = await site.load('/app.js')

      expect(site.sent().coding).toBe('dcz')
      expect(loaded.hash).toBe(sha256(bytes))
      expect(loaded.bytes).toBeLessThan(0.2 * gzipSync(bytes).byteLength)
      // the browser stores it after the response
      await expect.poll(async () => {
        expect((await site.load('/app.js')).hash).toBe(sha256(bytes))

        return site.sent().dictionary
      }).toBe(`:${createHash('sha256').update(bytes).digest('base64')}:`)
    }
  })

  it('fetches what changed at a gateway that compresses, also if it never saw the first release', async () => {
    const site = await openSite({}, { compressor: createCompressor({ files: true }) })
    const first = await site.publish('app.js', FIRST)
    const second = await site.publish('app.js', SECOND, first)
    await loadAsDictionary(site, '/app.js')
    const third = await site.publish('app.js', THIRD, second)
    const { hash, bytes } = await site.load('/app.js')

    expect(site.sent().coding).toBe('dcz')
    expect(hash).toBe(sha256(THIRD))
    expect(bytes).toBeLessThan(0.05 * gzipSync(THIRD).byteLength)

    // and so on, with whichever release the browser keeps
    await site.publish('app.js', FOURTH, third)
    const next = await site.load('/app.js')
    expect(site.sent().coding).toBe('dcz')
    expect(next.hash).toBe(sha256(FOURTH))
    expect(next.bytes).toBeLessThan(0.05 * gzipSync(FOURTH).byteLength)
  })

  it('gets the right bytes with a dictionary of another file', async () => {
    const site = await openSite()
    const first = await site.publish('first.js', FIRST)
    await site.publish('index-Bx1Hs_kq.js', OTHER)
    await loadAsDictionary(site, '/index-Bx1Hs_kq.js')
    await site.publish('index-C2dE3f-g.js', SECOND, first)

    expect((await site.load('/index-C2dE3f-g.js')).hash).toBe(sha256(SECOND))
    expect(site.sent()).toEqual({ coding: null, dictionary: expect.any(String) })
  })

  it.each<[string, Proxy]>([
    ['what the browser has', { request: headers => { headers.delete('available-dictionary') } }],
    ['what the browser takes', { request: headers => { headers.set('accept-encoding', 'gzip, br') } }],
    ['that it may be a dictionary', { response: headers => { headers.delete('use-as-dictionary') } }],
    ['how long it may be kept', { response: headers => { headers.set('cache-control', 'no-store') } }],
    ['what it varies by', { response: headers => { headers.delete('vary') } }]
  ])('gets the right bytes through a proxy that removes %s', async (_, proxy) => {
    const site = await openSite(proxy)
    const first = await site.publish('app.js', FIRST)
    expect((await site.load('/app.js')).hash).toBe(sha256(FIRST))
    await site.publish('app.js', SECOND, first)

    expect((await site.load('/app.js')).hash).toBe(sha256(SECOND))
    expect((await site.load('/app.js')).hash).toBe(sha256(SECOND))
  })
})

describe('a visitor who comes back by the name of a site', { tags: 'nightly' }, () => {
  it('fetches what changed over https', async () => {
    const site = await openSite({ origin: `https://${SITE_HOST}` })
    let base = await site.publish('app.js', FIRST)
    await loadAsDictionary(site, '/app.js')

    for (const bytes of [SECOND, THIRD]) {
      base = await site.publish('app.js', bytes, base)
      const loaded = await site.load('/app.js')

      expect(site.sent().coding).toBe('dcz')
      expect(loaded.hash).toBe(sha256(bytes))
      expect(loaded.bytes).toBeLessThan(0.05 * gzipSync(bytes).byteLength)
    }
  })

  it('sends no dictionary without https, though it was offered one', async () => {
    const offered: Array<string | null> = []
    const site = await openSite({
      origin: `http://${SITE_HOST}`,
      response: headers => { offered.push(headers.get('use-as-dictionary')) }
    })
    const first = await site.publish('app.js', FIRST)

    // without https, pages have no hash function
    const load = async (): Promise<number> => site.page.evaluate(async () => {
      const bytes = await (await fetch('/app.js', { cache: 'no-cache' })).arrayBuffer()

      return bytes.byteLength
    })

    for (const bytes of [FIRST, SECOND]) {
      await site.publish('app.js', bytes, bytes === FIRST ? undefined : first)

      for (let visit = 0; visit < 3; visit++) {
        expect(await load()).toBe(bytes.byteLength)
        expect(site.sent()).toEqual({ coding: null, dictionary: null })
      }
    }

    expect(offered).toContain('match="/app.js"')
  })
})

/** A page whose text is some bytes, with a script whose name does not change either. */
function page (bytes: Uint8Array, release: number): Buffer {
  const head = `<!doctype html><title>${release}</title><link rel="icon" href="data:,">`

  return Buffer.concat([Buffer.from(`${head}<script src="app.js"></script><pre>`), bytes])
}

describe('a visitor who comes back when nothing is fresh any more', { tags: 'nightly' }, () => {
  it('fetches what changed of a page and a script whose names do not change, and sees them at once', async () => {
    // with a TTL of 0, nothing ever is
    const site = await openSite({}, {}, 0)
    const first = await site.publish('index.html', page(FIRST, 1))
    const app = await site.publish('app.js', script(FIRST, 1))
    const visit = async (): Promise<{ text: Buffer | undefined, bytes: number }> => {
      const response = await site.page.goto(site.url)
      const bytes = await site.page.evaluate(() => {
        const [{ encodedBodySize }] = performance.getEntriesByType('navigation') as PerformanceResourceTiming[]

        return encodedBodySize
      })

      return { text: await response?.body(), bytes }
    }
    await expect.poll(async () => {
      await visit()

      return [site.sent('/').dictionary, site.sent('/app.js').dictionary]
    }).not.toContain(null)

    await site.publish('index.html', page(SECOND, 2), first)
    await site.publish('app.js', script(SECOND, 2), app)
    const { text, bytes } = await visit()

    expect([site.sent('/').coding, site.sent('/app.js').coding]).toEqual(['dcz', 'dcz'])
    expect(text?.equals(page(SECOND, 2))).toBe(true)
    expect(bytes).toBeLessThan(0.05 * gzipSync(page(SECOND, 2)).byteLength)
    expect(await site.page.title()).toBe('2')
  })

  it('fetches what changed of each release, also to keep it, at a gateway that compresses', async () => {
    const site = await openSite({}, { compressor: createCompressor({ files: true, cpuShare: 100 }) }, 0)

    for (const [release, bytes] of [FIRST, SECOND, THIRD].entries()) {
      const content = page(bytes, release)
      // with no base: no browser that came later has one
      const address = `/page.html?dictionary=${unmark(await site.publish('page.html', content))}`
      await site.page.goto(`${site.url}page.html`)
      expect(await site.page.title()).toBe(`${release}`)
      await expect.poll(() => site.sent(address).coding).toBe(release === 0 ? 'zstd' : 'dcz')
      expect(site.sent('/page.html').coding).toBe(release === 0 ? 'zstd' : 'dcz')
      // the browser stores it after the response
      await expect.poll(async () => {
        await site.page.goto(`${site.url}page.html`)

        return site.sent('/page.html').dictionary
      }).toBe(`:${createHash('sha256').update(content).digest('base64')}:`)
    }
  })

  it('fetches no byte of a file again to keep it, if the browser has stored it in time', async () => {
    const site = await openSite()
    const bytes = page(FIRST, 1)
    const address = `/page.html?dictionary=${unmark(await site.publish('page.html', bytes))}`
    await site.page.goto(`${site.url}page.html`)
    await expect.poll(() => site.sent(address)).not.toEqual({ coding: null, dictionary: null })
    const load = async (): Promise<Buffer> => Buffer.from(await site.page.evaluate(async address => {
      const response = await fetch(address, { cache: 'reload' })

      return Array.from(new Uint8Array(await response.arrayBuffer()))
    }, address))

    await expect.poll(async () => (await load()).equals(bytes) && site.sent(address).coding).toBe('dcz')
  })
})

describe('a page of another site', { tags: 'nightly' }, () => {
  it('is not told what a visitor has seen: its requests have no dictionary', async () => {
    const site = await openSite()
    const first = await site.publish('app.js', FIRST)
    await loadAsDictionary(site, '/app.js')
    await site.publish('app.js', SECOND, first)
    const other = await openSite()
    const page = await site.page.context().newPage()
    // the same site for Chromium would be the same host name
    await page.goto(other.url.replace('127.0.0.1', 'localhost'))
    const { hash } = await page.evaluate(loadInPage, `${site.url}app.js`)

    expect(hash).toBe(sha256(SECOND))
    expect(site.sent()).toEqual({ coding: null, dictionary: null })
    // by another address, because the browser has the file of this one by now
    expect((await site.load('/app.js?2')).hash).toBe(sha256(SECOND))
    expect(site.sent().coding).toBe('dcz')
  })

  it('that embeds the site shares no dictionary with it', async () => {
    const site = await openSite()
    await site.publish('app.js', FIRST)
    await loadAsDictionary(site, '/app.js')
    const other = await openSite()
    const page = await site.page.context().newPage()
    await page.goto(other.url.replace('127.0.0.1', 'localhost'))
    await page.setContent(`<iframe src="${site.url}"></iframe>`)
    const frame = await page.waitForSelector('iframe').then(async element => element.contentFrame())
    await frame?.waitForURL(site.url)
    const loaded = await frame?.evaluate(loadInPage, '/app.js')

    expect(loaded?.hash).toBe(sha256(FIRST))
    expect(site.sent('/app.js').dictionary).toBe(null)
    await site.load('/app.js')
    expect(site.sent('/app.js').dictionary).not.toBe(null)
  })
})
