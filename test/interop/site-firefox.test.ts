/** `ipfsz site add`: a site on Kubo's gateway, in Firefox. Chromium has its own tests in site.test.ts. */
import { describe, expect, onTestFinished } from 'vitest'
import { it } from '../integration/run-cli.ts'
import { startFirefox } from './clients/clients.ts'
import { publish, TEXT } from './published-site.ts'
import type { Page } from 'puppeteer-core'

const NO_LIMIT = { timeout: 0 }

/** The title of a page, and the color of its text, which the style sheet sets. */
async function shown (page: Page): Promise<string[]> {
  return page.evaluate(() => [document.title, getComputedStyle(document.querySelector('p') as Element).color])
}

/** Wait for a page of the site. The loader, which comes first, has the title of the first page, and no styles. */
async function isShown (page: Page, title: string): Promise<void> {
  // the page may be loaded again meanwhile
  await expect.poll(async () => shown(page).catch(() => [])).toEqual([title, 'rgb(1, 2, 3)'])
}

/** Load a page again. `page.reload()` waits for ever after `history.back()`. */
async function reload (page: Page): Promise<void> {
  await page.evaluate(() => {
    document.title = 'to be replaced'
    location.reload()
  })
}

describe('a site on the gateway of Kubo, in Firefox', () => {
  it('is shown at every path, by links, back and forward, reload, and offline', async ({ sandbox }) => {
    const [{ cid, kubo }, firefox] = await Promise.all([publish(sandbox), startFirefox()])
    onTestFinished(async () => firefox.close())
    const { port } = new URL(kubo.gateway)
    const origin = `http://${cid}.ipfs.localhost:${port}`

    // a deep link first, then by links
    const page = await firefox.newPage()
    await page.goto(`${origin}/docs/page.html?a=b#c`, NO_LIMIT)
    await isShown(page, 'A page')
    expect(page.url()).toBe(`${origin}/docs/page.html?a=b#c`)
    await Promise.all([page.waitForNavigation(NO_LIMIT), page.click('a')])
    await isShown(page, 'Home & <more>')
    // Firefox shows them as they were left: no page is loaded, which goBack() waits for
    await page.evaluate(() => { history.back() })
    await isShown(page, 'A page')
    await page.evaluate(() => { history.forward() })
    await isShown(page, 'Home & <more>')
    await reload(page)
    await isShown(page, 'Home & <more>')
    expect(await page.evaluate(async () => (await (await fetch('/long.txt')).arrayBuffer()).byteLength))
      .toBe(TEXT.byteLength)

    // a path that only the site's own redirects know
    expect((await page.goto(`${origin}/nowhere`, NO_LIMIT))?.status()).toBe(404)
    await isShown(page, 'Not here')

    // one origin for all sites
    const lost = await firefox.newPage()
    await lost.goto(`http://127.0.0.1:${port}/ipfs/${cid}/docs/page.html`, NO_LIMIT)
    await expect.poll(async () => lost.evaluate(() => document.querySelector('h1')?.textContent).catch(() => ''))
      .toBe('This address cannot show the site')

    await kubo.stop()
    await page.goto(`${origin}/docs/page.html`, NO_LIMIT)
    await isShown(page, 'A page')
    await reload(page)
    await isShown(page, 'A page')
  })
})
