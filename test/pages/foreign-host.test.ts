/** @module-tag long */
/** Pages of strangers below the host name of a site: they run, but not in the origin of the site. */
import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { ATTACKS, foundNothing, SITE_HOST, startForeignHost } from '../support/foreign-host.ts'
import { addSite } from './worker-gateway.ts'
import type { ForeignHost } from '../support/foreign-host.ts'
import type { Browser, Page } from 'playwright'

let browser: Browser

beforeAll(async () => { browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS }) })
afterAll(async () => { await browser?.close() })

/** The page of the site, which keeps a secret. Below another name it is an error. */
async function openSite (host: string): Promise<ForeignHost & { page: Page }> {
  const served = await startForeignHost(host, addSite)
  const page = await (await browser.newContext()).newPage()
  onTestFinished(async () => {
    await page.context().close()
    await served.close()
  })
  await page.goto(served.origin)
  await page.evaluate(() => {
    localStorage.secret = 'mine'
    document.cookie = 'secret=mine'
  })

  return { ...served, page }
}

async function attackOf (page: Page): Promise<string | null> {
  await page.waitForSelector('[data-found]', { state: 'attached' })

  return page.getAttribute('[data-found]', 'data-found')
}

describe('below the host name of a site', () => {
  it.each([SITE_HOST, 'other.test'])('pages of strangers have an origin of their own: %s', async host => {
    const { page, origin, evil } = await openSite(host)

    for (const path of ATTACKS) {
      await page.goto(`${origin}/ipfs/${evil}/${path}`)
      foundNothing(await attackOf(page))
    }

    // the storage is that of the site as before, and a page that was shown is not shown otherwise from the cache
    await page.goto(`${origin}/ipfs/${evil}/x.html`)
    foundNothing(await attackOf(page))
    await page.goto(origin)
    expect(await page.evaluate(() => localStorage.secret)).toBe('mine')
  })

  it('frames and windows of the site that show them are of another origin', async () => {
    const { page, origin, evil } = await openSite(SITE_HOST)
    const url = `${origin}/ipfs/${evil}/x.html`

    await page.evaluate(url => {
      const frame = document.body.appendChild(document.createElement('iframe'))
      frame.src = url
    }, url)
    await expect.poll(async () => page.frames()[1]?.getAttribute('[data-found]', 'data-found')).toMatch(/^null,/)
    foundNothing(await page.frames()[1].getAttribute('[data-found]', 'data-found'))

    const opened = page.context().waitForEvent('page')
    await page.evaluate(url => { window.open(url) }, url)
    foundNothing(await attackOf(await opened))
  })

  it('the site registers its own worker, and none that strangers publish', async () => {
    const { page, origin, evil } = await openSite(SITE_HOST)
    const register = async (path: string): Promise<string> => page.evaluate(async path => {
      try {
        return (await navigator.serviceWorker.register(path)).scope
      } catch (err) {
        return (err as Error).name
      }
    }, path)

    expect(await register(`/ipfs/${evil}/sw.js`)).toMatch(/Error$/)
    expect(await register('/sw.js')).toBe(`${origin}/`)
  })
})
