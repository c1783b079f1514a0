/** @module-tag nightly */
/** `ipfsz site add`: what visitors see when something is missing, in Chromium. On Kubo: kubo-site.test.ts. */
import { readFile } from 'node:fs/promises'
import { ipfsz } from '@ipfsz/core'
import { createGateway } from '@ipfsz/gateway'
import { createNodeServer } from '@ipfsz/gateway/node'
import { CID } from 'multiformats/cid'
import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { it } from '../integration/run-cli.ts'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { listen } from '../support/listen.ts'
import { fromCar } from '../support/recording-blockstore.ts'
import { addSite, FILES, page } from './published-site.ts'
import type { Browser, Page, Route } from 'playwright'

let browser: Browser

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: findChromium(),
    args: CHROMIUM_FLAGS.map(flag => flag.startsWith('--host-resolver-rules=') ? `${flag}, EXCLUDE *.localhost` : flag)
  })
})

afterAll(async () => {
  await browser?.close()
})

async function newPage (options = {}): Promise<Page> {
  const context = await browser.newContext(options)
  onTestFinished(async () => context.close())

  return context.newPage()
}

/** Wait for a page of the site, with its styles. The loader has the same title as the first page. */
async function isShown (page: Page, title: string): Promise<void> {
  // the page may be loaded again meanwhile
  await expect.poll(async () => Promise.all([page.title(), colorOf(page)]).catch(() => []))
    .toEqual([title, 'rgb(1, 2, 3)'])
}

async function colorOf (page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.querySelector('p') as Element).color)
}

describe('a site with a name', () => {
  it('shows a new release when its page is loaded again', async ({ sandbox }) => {
    const first = await addSite(sandbox, FILES)
    const second = await addSite(sandbox, { ...FILES, 'index.html': page('Home again', 'changed') })
    // the repo has both: one CAR of each root is enough to serve them
    const stores = await Promise.all([first, second].map(async ({ car }) => fromCar(await readFile(car))))
    let current = 0
    const statuses: number[] = []
    const gateways = stores.map(blocks => createGateway({ fs: ipfsz({ blockstore: blocks }), blocks, names: {
      resolve: async () => ({ cid: CID.parse([first, second][current].cid), path: [], ttl: 0 })
    } }))
    const { port, close } = await listen(createNodeServer(async request => {
      const url = new URL(request.url)
      // to the gateway a name with a DNSLink, to Chromium an address that is secure without a certificate
      url.host = 'site.test'

      const response = await gateways[current](new Request(url, request))

      if (/^\/ipfsz-worker-\w+\.js$/.test(url.pathname)) {
        statuses.push(response.status)
      }

      return response
    }))
    onTestFinished(close)

    const origin = `http://127.0.0.1:${port}`
    const visitor = await newPage()
    await visitor.goto(`${origin}/`)
    await isShown(visitor, 'Home & <more>')

    current = 1
    await visitor.reload()
    // the browser has seen that there is another worker
    await expect.poll(async () => visitor.evaluate(async () =>
      (await navigator.serviceWorker.getRegistration())?.waiting?.state)).toBe('installed')
    await isShown(visitor, 'Home & <more>')
    await visitor.reload()
    await isShown(visitor, 'Home again')
    await visitor.goto(`${origin}/docs/page.html`)
    expect([await visitor.title(), await colorOf(visitor)]).toEqual(['A page', 'rgb(1, 2, 3)'])
    // the script of the worker was fetched once: the second release has the same
    expect(statuses.filter(status => status === 200)).toHaveLength(1)
  })

  it('opens at paths that are no file where gateways know ipfs-404.html, and no _redirects', async ({ sandbox }) => {
    const { car, cid } = await addSite(sandbox, FILES)
    const blocks = await fromCar(await readFile(car))
    const gateway = createGateway({ fs: ipfsz({ blockstore: blocks }), blocks })
    const statuses: number[] = []
    const { port, close } = await listen(createNodeServer(async request => {
      const url = new URL(request.url)
      const [, label] = /^(\w+)\.ipfs\.localhost/.exec(url.host) ?? []

      // as Kubo did before 0.16: all is below the path of a CID, where _redirects do not count
      if (label != null) {
        url.hostname = '127.0.0.1'
        url.pathname = `/ipfs/${label}${url.pathname}`
      }

      const response = await gateway(new Request(url, request))

      if (url.pathname.endsWith('/no/page') && request.headers.get('sec-fetch-mode') === 'navigate') {
        statuses.push(response.status)
      }

      return response
    }))
    onTestFinished(close)

    const visitor = await newPage()
    await visitor.goto(`http://${cid}.ipfs.localhost:${port}/no/page`)
    await isShown(visitor, 'Not here')
    expect(visitor.url()).toBe(`http://${cid}.ipfs.localhost:${port}/no/page`)
    expect(statuses).toEqual([404])

    // and at a gateway with one address for all sites, it says where the page is
    const lost = await newPage()
    await lost.goto(`http://127.0.0.1:${port}/ipfs/${cid}/no/page`)
    await expect.poll(async () => lost.textContent('h1')).toBe('This address cannot show the site')
    expect(await lost.getAttribute('a', 'href')).toBe(`http://${cid}.ipfs.localhost:${port}/no/page`)
  })

  it('says what is missing where a browser has no service workers', async ({ sandbox }) => {
    const { car, cid } = await addSite(sandbox, FILES)
    const blocks = await fromCar(await readFile(car))
    const gateway = createGateway({ fs: ipfsz({ blockstore: blocks }), blocks })
    const { port, close } = await listen(createNodeServer(gateway))
    onTestFinished(close)

    const visitor = await newPage()
    await visitor.addInitScript('delete Navigator.prototype.serviceWorker')
    await visitor.goto(`http://${cid}.ipfs.localhost:${port}/`)
    await expect.poll(async () => visitor.textContent('h1')).toBe('This browser cannot show the site here')

    // one origin for all sites: of a name, and where the gateway has no name of its own
    const html = await (await fetch(`http://127.0.0.1:${port}/ipfs/${cid}/docs/page.html`)).text()

    for (const [address, links] of [
      ['http://gateway.example/ipns/my-docs.example.org/docs/?a#b', [
        'https://my-docs.example.org/docs/?a#b',
        'http://my--docs-example-org.ipns.gateway.example/docs/?a#b',
        'https://my--docs-example-org.ipns.dweb.link/docs/?a#b'
      ]],
      [`http://192.0.2.1:8080/ipfs/${cid}`, [`https://${cid}.ipfs.dweb.link/`]],
      ['http://gateway.example/ipfs/QmQPeNsJPyVWPFDVHb77w8G42Fvo15z4bG2X8D2GhfbSXc/', []]
    ] as const) {
      const lost = await newPage()
      await lost.route('**', async route => route.fulfill({ body: html, contentType: 'text/html' }))
      await lost.goto(address)
      expect(await lost.textContent('h1')).toBe('This address cannot show the site')
      expect(await lost.$$eval('a', found => found.map(link => link.href))).toEqual(links)
    }

    // the browser stores nothing for it: Try again does
    const blocked = await newPage()
    await blocked.addInitScript(() => {
      if (!location.hash.includes('allowed')) {
        Object.defineProperty(globalThis, 'sessionStorage', {
          get () { throw new DOMException('no', 'SecurityError') }
        })
      }
    })
    await blocked.goto(`http://${cid}.ipfs.localhost:${port}/`)
    await expect.poll(async () => blocked.textContent('main')).toContain('SecurityError')
    await blocked.evaluate(() => { location.hash = 'allowed' })
    await blocked.click('button')
    await isShown(blocked, 'Home & <more>')

    // the worker cannot be fetched
    const offline = await newPage()
    await offline.route('**/ipfsz-worker.js', async route => route.abort())
    await offline.context().route('**/ipfsz-worker.js', async route => route.abort())
    await offline.goto(`http://${cid}.ipfs.localhost:${port}/`)
    await expect.poll(async () => offline.textContent('h1')).toBe('The site could not be loaded')
    await offline.context().unroute('**/ipfsz-worker.js')
    await offline.unroute('**/ipfsz-worker.js')
    await offline.click('button')
    await isShown(offline, 'Home & <more>')

    // the worker does not come, and then it does
    const silent = await newPage()
    const { promise: asked, resolve } = Promise.withResolvers<Route>()
    await silent.clock.install()
    await silent.context().route('**/ipfsz-worker.js', resolve)
    await silent.goto(`http://${cid}.ipfs.localhost:${port}/`)
    const request = await asked
    // for a second nothing is shown: most pages come before that, with their styles
    expect(await silent.evaluate(() => [0, 1000].map(time => {
      const [animation] = document.body.getAnimations()
      animation.currentTime = time

      return getComputedStyle(document.body).visibility
    }))).toEqual(['hidden', 'visible'])
    await silent.clock.fastForward(30_000)
    expect(await silent.textContent('h1')).toBe('The gateway does not respond')
    expect(await silent.textContent('main')).toContain('TimeoutError')
    await request.continue()
    await isShown(silent, 'Home & <more>')
  })
})
