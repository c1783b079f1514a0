import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { ONE_FILE_BUNDLERS } from '../support/bundles.ts'
import { listen } from '../support/listen.ts'
import type { Listening } from '../support/listen.ts'

/**
 * The service worker of the tests. Its address says how it is set up, and which version it is: another address is
 * another worker to the browser.
 */
const WORKER = `
  import { zstdDecoder } from '@ipfsz/codecs/zstd-decoder'
  import { registerIpfsz } from '@ipfsz/gateway/service-worker'

  const query = new URL(location.href).searchParams
  const id = crypto.randomUUID()

  if (query.has('private')) {
    Object.defineProperty(self, 'indexedDB', { value: undefined })
  }

  // an event that always waits, and the most frames that were decompressed before it came
  const frames = { total: 0, atOnce: 0 }
  let run = 0
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    run = 0
    port2.postMessage(undefined)
  }

  const decoder = zstdDecoder()
  const counting = {
    ...decoder,
    decompress: (...args) => {
      frames.total++
      run++
      frames.atOnce = Math.max(frames.atOnce, run)

      return decoder.decompress(...args)
    }
  }

  if (query.has('count')) {
    port2.postMessage(undefined)
  }

  registerIpfsz({
    ...query.has('count') ? { codecs: [counting] } : {},
    gateways: query.getAll('gateway'),
    trusted: query.getAll('trusted'),
    ...query.has('cache') ? { cacheSize: Number(query.get('cache')) } : {},
    ...query.has('timeout') ? { timeout: Number(query.get('timeout')) } : {},
    ...query.has('root') ? { site: { root: query.get('root'), except: ['/worker', '/other'] } } : {}
  })

  // a listener of the page's own
  addEventListener('fetch', event => {
    if (new URL(event.request.url).pathname === '/worker') {
      event.respondWith(Response.json({ id, version: query.get('version'), frames }))
    }
  })
`

/** Two lines, as a page has them. */
const SMALLEST = `
  import { registerIpfsz } from '@ipfsz/gateway/service-worker'
  registerIpfsz({ gateways: ['https://example.org'] })
`

/** Bundles the worker. To be removed at the end. */
export async function bundleWorker (): Promise<{ worker: Buffer, smallest: Buffer }> {
  const [worker, smallest] = await Promise.all([WORKER, SMALLEST].map(async script => {
    const { directory } = await ONE_FILE_BUNDLERS.esbuild(script)
    const bytes = await readFile(join(directory, 'main.js'))
    await rm(directory, { recursive: true })

    return bytes
  }))

  return { worker, smallest }
}

export interface Site extends Pick<Listening, 'close'> {
  url: string
  /** What the server of the site was asked for: method, path and query. */
  asked: string[]
}

/** Serves an empty page that has the worker. Each site is an origin of its own. */
export async function startSite (worker: Buffer): Promise<Site> {
  const asked: string[] = []
  const { port, close } = await listen(createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    asked.push(`${request.method} ${request.url}`)

    if (pathname === '/worker.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(worker)
    } else if (pathname === '/') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>')
    } else {
      response.writeHead(418).end('the server of the site')
    }
  }))

  return { url: `http://127.0.0.1:${port}`, asked, close }
}
