import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeSandbox } from '../integration/run-cli.ts'
import { serveGateway } from '../integration/run-gateway.ts'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { builtSite } from './built-site.ts'
import type { RunningGateway } from '../integration/run-gateway.ts'
import type { Browser, Page } from 'playwright'

let directory: string
let cid: string
let gateway: RunningGateway
let browser: Browser

// added with the command, and served by its gateway
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ipfsz-site-'))
  const sandbox = makeSandbox(directory)
  cid = (await sandbox.run(['add', '-Q', await builtSite()])).stdout.toString().trim()
  gateway = await serveGateway(sandbox)
  browser = await chromium.launch({
    executablePath: findChromium(),
    args: CHROMIUM_FLAGS.map(flag => flag.startsWith('--host-resolver-rules=') ? `${flag}, EXCLUDE *.localhost` : flag)
  })
})

afterAll(async () => {
  await browser?.close()
  await gateway?.stop()
  await rm(directory, { recursive: true })
})

interface OpenSite {
  page: Page
  /** The address of the site, with a slash at its end. */
  url: string
  /** What went wrong in the page. The test fails if anything is left. */
  problems: string[]
}

/** Open the site, below a path or at a host of its own. */
async function openSite (at: 'path' | 'host' = 'path'): Promise<OpenSite> {
  const { port, origin } = new URL(gateway.url)
  const start = `${at === 'path' ? origin : `http://localhost:${port}`}/ipfs/${cid}/`
  // a gateway sends names on localhost to a host
  const url = at === 'path' ? start : (await fetch(start, { redirect: 'manual' })).headers.get('location') ?? ''
  const context = await browser.newContext({ serviceWorkers: 'block' })
  const problems: string[] = []

  // the machine may be busy
  context.setDefaultTimeout(180_000)
  context.on('request', request => {
    if (!request.url().startsWith(url) && !/^(?:blob|data):/.test(request.url())) {
      problems.push(`requests ${request.url()}`)
    }
  })
  context.on('response', response => {
    if (response.status() >= 400) {
      problems.push(`${response.status()} ${response.url()}`)
    }
  })
  context.on('console', message => { if (message.type() === 'error') { problems.push(message.text()) } })
  context.on('weberror', error => { problems.push(error.error().message) })
  onTestFinished(async () => {
    await context.close()
    expect(problems).toEqual([])
  })

  const page = await context.newPage()
  await page.goto(url)

  return { page, url, problems }
}

async function showsHeading (page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

describe('the site, added and served by ipfsz', () => {
  it('shows its pages below the path of a CID', async () => {
    const { page, url } = await openSite()
    const sidebar = page.getByRole('navigation', { name: 'Sidebar Navigation' })

    await showsHeading(page, /^IPFSz/)
    await sidebar.getByRole('link', { name: 'Start', exact: true }).click()
    await showsHeading(page, /^Start: two machines share a file/)
    expect(page.url()).toBe(`${url}guide/start.html`)

    await page.getByRole('link', { name: 'two CIDs, one file' }).click()
    await showsHeading(page, /^Add and read files/)

    // links of the sidebar came with another page
    await sidebar.getByRole('link', { name: 'Benchmarks', exact: true }).click()
    await showsHeading(page, /^Benchmarks/)
    const chart = page.getByRole('img', { name: 'IPFSz with zstd 3' })
    await chart.scrollIntoViewIfNeeded()
    await expect.poll(async () => chart.evaluate(image => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
  })

  it('has a reference of the API, also if a page below a folder is opened first', async () => {
    const { page, url } = await openSite()

    await page.goto(`${url}api/@ipfsz/core/http.html`)
    await showsHeading(page, /^@ipfsz\/core\/http/)
    await page.getByRole('navigation', { name: 'Main Navigation' }).getByRole('link', { name: 'API' }).click()
    await showsHeading(page, /^API/)
    await page.getByRole('main').getByRole('link', { name: '@ipfsz/core', exact: true }).click()
    await showsHeading(page, /^@ipfsz\/core/)
    await page.getByRole('heading', { name: 'ContentMismatchError' }).waitFor()
  })

  it('finds a word in all pages', async () => {
    const { page, url } = await openSite()

    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('deduplication')
    await page.getByRole('option').filter({ hasText: 'Does deduplication still work?' }).first().click()
    await showsHeading(page, /^Questions and answers/)
    expect(page.url()).toContain(`${url}faq.html`)
  })

  it('has the demo as a playground', async () => {
    const { page, url } = await openSite()

    await page.goto(`${url}playground.html`)
    const demo = page.frameLocator('iframe.demo')
    await demo.locator('body[data-ready]').waitFor()
    await demo.locator('#samples button').first().click()
    await demo.locator('#view').getByRole('heading', { level: 3 }).first().waitFor()
  })
  it('works at a host of its own, and has a page for addresses that do not exist', async () => {
    const { page, url, problems } = await openSite('host')
    const sidebar = page.getByRole('navigation', { name: 'Sidebar Navigation' })

    expect(new URL(url).host).toMatch(/^\w+\.ipfs\.localhost:\d+$/)
    await showsHeading(page, /^IPFSz/)
    await sidebar.getByRole('link', { name: 'FAQ', exact: true }).click()
    await showsHeading(page, /^Questions and answers/)
    expect(page.url()).toBe(`${url}faq.html`)

    const response = await page.goto(`${url}guide/no/such-page.html`)
    expect(response?.status()).toBe(404)
    await showsHeading(page, 'There is no such page')
    await page.locator(`a[href="${new URL(url).pathname}guide/start.html"]`).click()
    await showsHeading(page, /^Start: two machines share a file/)
    expect(page.url()).toBe(`${url}guide/start.html`)
    // that page, and the folders in which it looks for the site
    expect(problems.splice(0).filter(problem => !/\b404\b/.test(problem))).toEqual([])
  })
})
