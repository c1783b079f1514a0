/** @module-tag long */
/**
 * Releases of a built app, published and visited as people do: what Chromium fetches of the next one from a gateway of
 * ours, over https, with what it kept of the last one.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { openRepo } from '@ipfsz/node'
import { publishSite } from '@ipfsz/site'
import { chromium } from 'playwright'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findChromium, SITE_HOST, siteFlags } from '../support/chromium.ts'
import { text } from '../support/data.ts'
import { startVersionedSite } from '../support/versioned-site.ts'
import type { CID } from 'multiformats/cid'
import type { Browser, Page } from 'playwright'

let browser: Browser

beforeAll(async () => { browser = await chromium.launch({ executablePath: findChromium(), args: siteFlags() }) })
afterAll(async () => { await browser?.close() })

const pathOf = (module: string): string => JSON.stringify(fileURLToPath(import.meta.resolve(module)))

/** An app of three components, which shows which release it is. */
const app = (release: number, list: string): string => `
  import { createElement as h, useState } from ${pathOf('react')}
  import { createRoot } from ${pathOf('react-dom/client')}
  const Head = () => h('header', null, h('h1', null, 'Orders'), h('nav', null, h('a', { href: '#/' }, 'All')))
  const List = ({ orders }) => ${list}
  const App = () => {
    const [orders, setOrders] = useState(['first', 'second'])
    return h('main', null, h(Head), h(List, { orders }),
      h('button', { onClick: () => setOrders([...orders, 'next']) }, 'Add an order'))
  }
  createRoot(document.querySelector('#app')).render(h(App))
  document.documentElement.dataset.release = ${release}
`

const LIST = "h('ul', null, orders.map(order => h('li', { key: order }, order)))"
const TABLE = "h('table', { className: 'orders' }, h('tbody', null, orders.map((order, i) => " +
  "h('tr', { key: order }, h('td', null, i + 1), h('td', null, order.toUpperCase())))))"

/** A page with jQuery, in one of its versions. */
const query = (release: number, version: string): string => `
  import $ from ${pathOf(`jquery-${version}/dist/jquery.js`)}
  $('<p>').text($.fn.jquery).appendTo('#app')
  document.documentElement.dataset.release = ${release}
`

/** A bundle of several frames, were it not for browsers. */
const large = (release: number): string => `
  const words = ${JSON.stringify(Buffer.from(text(3_000_000)).toString())}
  document.querySelector('#app').textContent = words.split(' ').length * ${release}
  document.documentElement.dataset.release = ${release}
`

async function temporary (): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-releases-'))
  onTestFinished(async () => rm(directory, { recursive: true, force: true }))

  return directory
}

/** Build a release with Vite, which names files by their content. */
async function bundle (directory: string, release: number, script: string): Promise<string> {
  const root = join(directory, `source-${release}`)
  const outDir = join(directory, `release-${release}`)
  await mkdir(root)
  await writeFile(join(root, 'index.html'), '<!doctype html><title>Orders</title><div id="app"></div>' +
    '<script type="module" src="main.js"></script>')
  await writeFile(join(root, 'main.js'), script)
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: Number.POSITIVE_INFINITY }
  })

  return outDir
}

/** The bytes of all files of a release with gzip, as servers send them. */
async function gzipped (directory: string): Promise<number> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = names.filter(entry => entry.isFile())
  const sizes = files.map(async ({ parentPath, name }) => gzipSync(await readFile(join(parentPath, name))).byteLength)

  return (await Promise.all(sizes)).reduce((a, b) => a + b, 0)
}

/** Load a release, and tell the bytes of all bodies that came over the network. */
async function visit (page: Page, url: string, release: number): Promise<number> {
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.waitForSelector(`html[data-release="${release}"]`)

  return page.evaluate(() => {
    const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]

    return (entries as PerformanceResourceTiming[])
      .reduce((sum, { encodedBodySize, transferSize }) => sum + (transferSize === 0 ? 0 : encodedBodySize), 0)
  })
}

describe('a visitor who comes back to a built app after a release', { tags: 'nightly' }, () => {
  it.each([
    ['one component changed', app(1, LIST), app(2, TABLE)],
    ['a dependency has a new patch version', query(1, '3.7.0'), query(2, '3.7.1')],
    ['a bundle of 3 MB changed', large(1), large(2)]
  ])('fetches at most a twentieth of its bytes with gzip where %s', async (_, first, second) => {
    const directory = await temporary()
    const repo = join(directory, 'repo')
    const before = await bundle(directory, 1, first)
    const after = await bundle(directory, 2, second)
    const one = await publishSite(repo, before)
    const two = await publishSite(repo, after, { base: one.cid })

    const opened = await openRepo(repo)
    const site = await startVersionedSite({ origin: `https://${SITE_HOST}` }, { fs: opened.files, blocks: opened.blocks })
    const context = await browser.newContext()
    onTestFinished(async () => {
      await context.close()
      await site.close()
      await opened.close()
    })

    site.show(one.tree)
    const page = await context.newPage()
    const fresh = await visit(page, site.url, 1)
    expect(fresh).toBeLessThanOrEqual(1.05 * await gzipped(before))
    // the browser stores it after the response
    await expect.poll(async () => {
      await page.evaluate(async () => fetch(document.scripts[0].src, { cache: 'reload' }))

      return site.sent().dictionary
    }).not.toBe(null)

    site.show(two.tree)
    const back = await visit(page, site.url, 2)
    expect(site.sent().coding).toBe('dcz')
    expect(back).toBeLessThanOrEqual(0.05 * await gzipped(after))
  })
})

describe('a visitor who comes back to a built app through the service worker', () => {
  it('fetches a third of its bytes with gzip at most if the release has a base, and most if it has none', async () => {
    const directory = await temporary()
    const repo = join(directory, 'repo')
    const after = await bundle(directory, 2, app(2, TABLE))
    const one = await publishSite(repo, await bundle(directory, 1, app(1, LIST)))
    const based = await publishSite(repo, after, { base: one.cid })
    const whole = await publishSite(repo, after)
    const opened = await openRepo(repo)
    const site = await startVersionedSite({ origin: `https://${SITE_HOST}` }, { fs: opened.files, blocks: opened.blocks })
    onTestFinished(async () => {
      await site.close()
      await opened.close()
    })

    /** The bytes that the server sends until a release is shown. */
    const come = async (page: Page, cid: CID, release: number): Promise<number> => {
      const before = site.written()
      site.show(cid)
      // the worker of the last release answers until its page is left
      await expect.poll(async () => {
        await page.goto(site.url, { waitUntil: 'networkidle' })

        return page.locator('html').getAttribute('data-release')
      }).toBe(`${release}`)

      return site.written() - before
    }
    const fetched: number[] = []

    for (const { cid } of [based, whole]) {
      const context = await browser.newContext()
      const page = await context.newPage()
      expect(await come(page, one.cid, 1)).toBeGreaterThan(await gzipped(after))
      fetched.push(await come(page, cid, 2))
      await context.close()
    }

    const gzip = await gzipped(after)
    expect(fetched[0]).toBeLessThan(gzip / 3)
    expect(fetched[1]).toBeGreaterThan(0.75 * gzip)
  })
})
