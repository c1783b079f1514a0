/** The gateway in a service worker of a page: it needs nothing but what workers have. */
import { rm } from 'node:fs/promises'
import { chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ONE_FILE_BUNDLERS } from '../support/bundles.ts'
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts'
import { serve } from '../support/serve.ts'
import type { Browser } from 'playwright'

/** The same script in the page and in its worker: the page registers it, and asks what the worker added. */
const SCRIPT = `
  import { zstd } from '@ipfsz/codecs/zstd'
  import { ipfsz } from '@ipfsz/core'
  import { createGateway } from '@ipfsz/gateway'
  import { MemoryBlockstore } from 'blockstore-core'

  const bytes = new TextEncoder().encode('the same words again and again, '.repeat(10_000))

  function startWorker () {
    const blocks = new MemoryBlockstore()
    const fs = ipfsz({ blockstore: blocks }, { codecs: [zstd()] })
    const gateway = createGateway({ fs, blocks })
    const added = fs.addBytes(bytes, { compression: { codec: 'zstd', frameSize: 65_536 } })

    self.addEventListener('install', () => self.skipWaiting())
    self.addEventListener('activate', event => event.waitUntil(self.clients.claim()))
    self.addEventListener('fetch', event => {
      const { pathname } = new URL(event.request.url)

      if (pathname === '/cid') {
        event.respondWith(added.then(cid => new Response(String(cid))))
      } else if (pathname.startsWith('/ipfs/')) {
        event.respondWith(added.then(() => gateway(event.request)))
      }
    })
  }

  async function ask (path, headers = {}) {
    const response = await fetch(path, { headers })
    const body = new Uint8Array(await response.arrayBuffer())
    const from = Number(/bytes (\\d+)-/.exec(response.headers.get('content-range'))?.[1] ?? 0)

    return {
      status: response.status,
      type: response.headers.get('content-type'),
      length: body.byteLength,
      same: body.every((byte, i) => byte === bytes[from + i])
    }
  }

  async function startPage () {
    const controlled = new Promise(resolve => {
      navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true })
    })
    await navigator.serviceWorker.register('main.js', { type: 'module' })
    await controlled
    const cid = await (await fetch('/cid')).text()

    window.ask = async (query, headers) => ask('/ipfs/' + cid + query, headers)
  }

  if (self.document == null) {
    startWorker()
  } else {
    startPage()
  }
`

let browser: Browser
let directory: string

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_FLAGS });
  ({ directory } = await ONE_FILE_BUNDLERS.esbuild(SCRIPT))
})

afterAll(async () => {
  await browser?.close()
  await rm(directory, { recursive: true })
})

describe('the gateway in a service worker', () => {
  it('answers with the original bytes, ranges and CARs', async () => {
    const { url, close } = await serve(directory)
    const page = await browser.newPage()

    onTestFinished(async () => {
      await page.close()
      close()
    })

    await page.goto(url)
    await page.waitForFunction('window.ask != null')

    expect(await page.evaluate("ask('?filename=a.txt')"))
      .toMatchObject({ status: 200, length: 320_000, same: true, type: expect.stringMatching(/^text\/plain/) })
    expect(await page.evaluate("ask('', { range: 'bytes=100000-200000' })"))
      .toMatchObject({ status: 206, length: 100_001, same: true })
    expect(await page.evaluate("ask('?format=car')"))
      .toMatchObject({ status: 200, type: expect.stringMatching(/^application\/vnd.ipld.car/) })
    expect(await page.evaluate("ask('/missing')")).toMatchObject({ status: 404 })
  })
})
