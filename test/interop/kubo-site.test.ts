/**
 * Sites that `ipfsz site add` has published, on the gateway of a stock Kubo, which knows nothing of compressed files:
 * one set of cases in Chromium and in Firefox.
 */
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { countingProxy } from '../support/counting-proxy.ts'
import { run } from '../support/tools.ts'
import { startChromium, startFirefox } from './clients/clients.ts'
import { FILES, TEXT } from './published-site.ts'
import { DOMAIN, publishSites, VISITS } from './published-sites.ts'
import type { Browser, Page } from 'puppeteer-core'
import type { CountingProxy } from '../support/counting-proxy.ts'
import type { Look, PublishedSites, SiteName } from './published-sites.ts'

const NO_LIMIT = { timeout: 0 }

/** The most bytes of the page that stands for each page, gzipped. */
const MAX_LOADER_SIZE = 8000

/** What a visit without news fetches at most: whether the worker is still the same, and headers. */
const NO_NEWS = 20_000

/** Three pages of the documents. */
const PAGES = [
  ['guide/start.html', 'Start: two machines share a file'],
  ['benchmarks.html', 'Benchmarks'],
  ['faq.html', 'Questions and answers']
] as const

let published: PublishedSites

beforeAll(async () => { published = await publishSites() })
afterAll(async () => { await published?.close() })

/** The Kubo's gateway behind a proxy: without it, the pages are offline. */
async function startProxy (): Promise<CountingProxy> {
  const proxy = await countingProxy(Number(new URL(published.kubo.gateway).port))
  onTestFinished(proxy.close)

  return proxy
}

function originOf (cid: string, { port }: CountingProxy): string {
  return `http://${cid}.ipfs.localhost:${port}`
}

/** A page, and what went wrong in it. Puppeteer does not show what the worker does. */
async function newPage (browser: Browser): Promise<{ page: Page, problems: string[] }> {
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', err => {
    // Firefox says so of what a page was still loading when it was left
    if (!String(err).includes('A ServiceWorker intercepted the request')) {
      problems.push(String(err))
    }
  })
  page.on('response', response => {
    if (response.status() >= 400 && !response.url().endsWith('/favicon.ico')) {
      problems.push(`${response.status()} ${response.url()}`)
    }
  })
  onTestFinished(async () => { await (page.isClosed() ? undefined : page.close()) })

  return { page, problems }
}

/** Runs in the page. */
function look (): Look {
  return {
    url: location.href,
    title: document.title,
    // VitePress ends headings with an invisible link
    heading: document.querySelector('h1')?.firstChild?.textContent?.trim() ?? '',
    pictures: [...document.images].filter(({ complete, naturalWidth }) => complete && naturalWidth > 0).length,
    color: getComputedStyle(document.querySelector('p, h1') as Element).color
  }
}

async function isShown (page: Page, expected: Partial<Look>): Promise<void> {
  // the page may be loaded again meanwhile
  await expect.poll(async () => page.evaluate(look).catch(() => ({}))).toMatchObject(expected)
}

/** Wait until nothing came for half a second. Puppeteer does not see what the worker fetches. */
async function isSettled (proxy: CountingProxy): Promise<void> {
  let before: number

  await expect.poll(() => {
    const isSame = proxy.received === before
    before = proxy.received

    return isSame
  }, { interval: 500 }).toBe(true)
}

/** Do what leads to another page: it may come before the answer, which then never does. */
async function leave <Argument> (page: Page, go: (arg: Argument) => void, arg?: Argument): Promise<void> {
  await page.evaluate(go as (arg: unknown) => void, arg).catch(() => {})
}

/** Load a page again. `page.reload()` waits for ever in Firefox after `history.back()`. */
async function reload (page: Page, expected: Partial<Look>): Promise<void> {
  await page.evaluate(() => { Object.assign(window, { isOld: true }) })
  await leave(page, () => { location.reload() })
  await expect.poll(async () => page.evaluate(() => 'isOld' in window).catch(() => true)).toBe(false)
  await isShown(page, expected)
}

describe('in Chromium', () => { testVisits(startChromium) })
describe('in Firefox', { tags: 'nightly' }, () => { testVisits(startFirefox) })

function testVisits (start: () => Promise<Browser>): void {
  let browser: Browser

  beforeAll(async () => { browser = await start() })
  afterAll(async () => { await browser?.close() })

  it.each(VISITS)('$site: a deep link, links, back and forward, reload, and offline', async visit => {
    const { deep, deepLook, link, linked, linkedLook } = visit
    const proxy = await startProxy()
    const origin = originOf(published.sites[visit.site].cid, proxy)
    const { page, problems } = await newPage(browser)

    await page.goto(`${origin}${deep}`, NO_LIMIT)
    await isShown(page, { ...deepLook, url: `${origin}${deep}` })
    await leave(page, link => { document.querySelector<HTMLElement>(link)?.click() }, link)
    await isShown(page, { ...linkedLook, url: `${origin}${linked}` })

    // they show pages as they were left, or load them: goBack() waits for that
    await leave(page, () => { history.back() })
    await isShown(page, deepLook)
    await leave(page, () => { history.forward() })
    await isShown(page, linkedLook)
    await reload(page, linkedLook)
    expect(problems).toEqual([])

    await proxy.close()
    await reload(page, linkedLook)
    await page.goto(`${origin}${deep}`, NO_LIMIT)
    await isShown(page, deepLook)
  })

  it('reads a long file, and shows the page of the site for what does not exist', async () => {
    const origin = originOf(published.sites.small.cid, await startProxy())
    const { page } = await newPage(browser)

    // a path that only the site's own redirects know
    await page.goto(`${origin}/no/page`, NO_LIMIT)
    await isShown(page, { title: 'Not here', color: 'rgb(1, 2, 3)' })
    expect((await page.goto(`${origin}/nowhere`, NO_LIMIT))?.status()).toBe(404)
    await isShown(page, { title: 'Not here' })
    expect(await page.evaluate(async () => (await (await fetch('/long.txt')).arrayBuffer()).byteLength))
      .toBe(TEXT.byteLength)
  })

  it('says why a path of the gateway cannot show the site, and where it can be opened', async () => {
    const { cid } = published.sites.small
    const { port } = new URL(published.kubo.gateway)
    const { page } = await newPage(browser)

    await page.goto(`http://127.0.0.1:${port}/ipfs/${cid}/docs/page.html`, NO_LIMIT)
    await isShown(page, { heading: 'This address cannot show the site' })
    expect(await page.$eval('a', ({ href }) => href)).toBe(`http://${cid}.ipfs.localhost:${port}/docs/page.html`)
  })

  it('shows a new release below a name with a DNSLink, after the tabs that have the old one', async () => {
    const { kubo, sites } = published
    const release = async (name: SiteName): Promise<void> => {
      await kubo.ipfs(['name', 'publish', '--allow-offline', '--ttl=1s', `/ipfs/${sites[name].cid}`])
    }
    const origin = `http://${DOMAIN}:${(await startProxy()).port}`
    const { page } = await newPage(browser)
    const { page: other } = await newPage(browser)

    await release('small')
    await page.goto(`${origin}/docs/page.html`, NO_LIMIT)
    await isShown(page, { title: 'A page', color: 'rgb(1, 2, 3)' })
    await other.goto(`${origin}/`, NO_LIMIT)
    await isShown(other, { title: 'Home & <more>' })

    await release('next')
    // browsers look for a new worker by themselves when a page is opened, but only some time later
    await page.evaluate(async () => { await (await navigator.serviceWorker.ready).update() })
    await expect.poll(async () => page.evaluate(async () =>
      (await navigator.serviceWorker.getRegistration())?.waiting?.state)).toBe('installed')
    await reload(other, { title: 'Home & <more>' })

    await page.close()
    // the browser may still count the page that was closed. The title is read before the page is loaded again: what is
    // asked while it is being replaced fails, each time where the worker answers at once
    await expect.poll(async () => {
      const title = await other.title().catch(() => '')
      await (title === 'Home again' ? undefined : leave(other, () => { location.reload() }))

      return title
    }, { interval: 1000 }).toBe('Home again')
    await other.goto(`${origin}/docs/page.html`, NO_LIMIT)
    await isShown(other, { title: 'A page', color: 'rgb(1, 2, 3)' })
  })
}

describe('what a visit fetches', () => {
  let browser: Browser

  beforeAll(async () => { browser = await startChromium() })
  afterAll(async () => { await browser?.close() })

  it('is less than of the same site plain, and nothing the next time', async () => {
    const { sites, plain } = published
    const proxy = await startProxy()
    const { page, problems } = await newPage(browser)
    const fetched = async (cid: string): Promise<number> => {
      const before = proxy.received

      for (const [path, heading] of PAGES) {
        await page.goto(`${originOf(cid, proxy)}/${path}`, NO_LIMIT)
        await isShown(page, { heading })
      }

      // VitePress loads pages ahead that are linked
      await isSettled(proxy)

      return proxy.received - before
    }

    const first = await fetched(sites.documents.cid)
    expect(await fetched(sites.documents.cid)).toBeLessThan(NO_NEWS)
    expect(first).toBeLessThan(await fetched(plain))

    // the demo is below them
    await page.goto(`${originOf(sites.documents.cid, proxy)}/demo/`, NO_LIMIT)
    await page.waitForSelector('body[data-ready]', NO_LIMIT)
    expect(problems).toEqual([])
    await proxy.close()
    await page.reload(NO_LIMIT)
    await page.waitForSelector('body[data-ready]', NO_LIMIT)
  })

  it('of photos is each once, as they are', async () => {
    const { cid, size, storedSize, loaderSize, workerSize } = published.sites.photos
    expect(storedSize / size).toBeCloseTo(1, 1)

    const proxy = await startProxy()
    const { page } = await newPage(browser)
    await page.goto(`${originOf(cid, proxy)}/`, NO_LIMIT)
    await isShown(page, { pictures: 1 })
    await page.goto(`${originOf(cid, proxy)}${VISITS.find(({ site }) => site === 'photos')?.deep}`, NO_LIMIT)
    await isShown(page, { pictures: 2 })
    expect(proxy.received).toBeGreaterThan(size)
    expect(proxy.received).toBeLessThan((storedSize + loaderSize + workerSize) * 1.1)
  })

  it('without a worker is a text for people, and what programs read', async () => {
    const { cid } = published.sites.small
    const { port } = new URL(published.kubo.gateway)
    const { page: scriptless } = await newPage(browser)
    await scriptless.setJavaScriptEnabled(false)
    await scriptless.goto(`http://${cid}.ipfs.localhost:${port}/`, NO_LIMIT)
    expect(await scriptless.$eval('noscript', ({ textContent }) => textContent))
      .toContain('Home & <more> is stored compressed')

    const plain = async (path: string): Promise<string> => (await run('curl', [
      '-s', '-H', `Host: ${cid}.ipfs.localhost:${port}`, `http://127.0.0.1:${port}${path}`
    ])).toString()
    expect(await plain('/robots.txt')).toBe(FILES['robots.txt'])
    expect(await plain('/crawled/page.html')).toBe(FILES['crawled/page.html'])
    const loader = await plain('/')
    expect(await plain('/docs/page.html')).toBe(loader)
    expect(gzipSync(loader).byteLength).toBeLessThanOrEqual(MAX_LOADER_SIZE)
  })
})
