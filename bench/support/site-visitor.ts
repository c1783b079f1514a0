import { once } from 'node:events'
import { createCompressor, createGateway } from '@ipfsz/gateway'
import { createNodeServer } from '@ipfsz/gateway/node'
import { openRepo } from '@ipfsz/node'
import { chromium } from 'playwright'
import { CHROMIUM_FLAGS, findChromium } from '../../test/support/chromium.ts'
import { MARK } from './site-releases.ts'
import type { PublishedSite } from '@ipfsz/site'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { CID } from 'multiformats/cid'
import type { BrowserContext } from 'playwright'

type Repo = Awaited<ReturnType<typeof openRepo>>

/** How long a release may take to be shown, in milliseconds, and a page of the last one to be followed by it. */
const TIMEOUT = 60_000
const PATIENCE = 3000

/** How long a visitor stays after a page is loaded, in milliseconds: browsers load dictionaries when they are idle. */
const STAY = 3000

/** A gateway on loopback that shows one thing under a name, as behind a proxy that ends https. */
interface NamedGateway {
  url: string
  show: (cid: CID) => void
  /** Bytes that were sent, headers included. */
  sent: () => number
  close: () => void
}

/** Bytes that `transferSize` counts of the headers of a response, whatever they have (Resource Timing, section 4.4). */
const HEADERS = 300

/** A visit of a start page. */
export interface Visit {
  /** Bytes that were sent, headers included. */
  sent: number
  /** Bytes of bodies that came over the network: none of what the browser had, and asked whether it is still right. */
  bodies: number
  /** The paths of what the page loads. */
  paths: string[]
}

/** A browser that visits each release of a site, and keeps what it wants to keep. */
export class SiteVisitor {
  readonly #repo: Repo
  readonly #context: BrowserContext
  /** Shows the site as every gateway can, with the worker. */
  readonly #any: NamedGateway
  /** Shows the compressed files themselves. */
  readonly #ours: NamedGateway

  private constructor (repo: Repo, context: BrowserContext, any: NamedGateway, ours: NamedGateway) {
    this.#repo = repo
    this.#context = context
    this.#any = any
    this.#ours = ours
  }

  /** @param profile - the directory of the browser's profile: without one, it would keep less */
  static async start (path: string, profile: string): Promise<SiteVisitor> {
    const repo = await openRepo(path)
    const [any, ours] = [await startGateway(repo), await startGateway(repo)]
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: findChromium(), args: CHROMIUM_FLAGS
    })

    return new SiteVisitor(repo, context, any, ours)
  }

  /** Publish a release, and visit it both ways. */
  async visit ({ cid, tree }: PublishedSite, release: number): Promise<{ worker: Visit, gateway: Visit }> {
    return { worker: await this.#load(this.#any, cid, release), gateway: await this.#load(this.#ours, tree, release) }
  }

  async close (): Promise<void> {
    await this.#context.close()
    this.#any.close()
    this.#ours.close()
    await this.#repo.close()
  }

  async #load ({ url, show, sent }: NamedGateway, cid: CID, release: number): Promise<Visit> {
    show(cid)
    const before = sent()
    const page = await this.#context.newPage()
    const deadline = performance.now() + TIMEOUT

    // the worker of the last release answers until its page is left
    for (let isShown = false; !isShown;) {
      await page.goto(url, { waitUntil: 'networkidle' })
      isShown = await page.waitForSelector(`html[${MARK}="${release}"]`, { timeout: PATIENCE })
        .then(() => true, () => false)

      if (!isShown && performance.now() > deadline) {
        throw new Error(`release ${release} is not shown at ${url}`)
      }
    }

    await page.waitForTimeout(STAY)

    const loaded = await page.evaluate(() => {
      const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]

      return (entries as PerformanceResourceTiming[])
        .map(({ name, transferSize }) => ({ path: new URL(name).pathname, transferSize }))
    })
    await page.close()

    return {
      sent: sent() - before,
      bodies: loaded.reduce((sum, { transferSize }) => sum + Math.max(0, transferSize - HEADERS), 0),
      paths: loaded.map(({ path }) => path)
    }
  }
}

async function startGateway ({ files: fs, blocks }: Repo): Promise<NamedGateway> {
  const sockets = new Set<Socket>()
  let shown: CID | undefined
  const names = { resolve: async () => ({ cid: shown as CID, path: [], ttl: 0 }) }
  const gateway = createGateway({ fs, blocks, names }, { compressor: createCompressor({ files: true }) })
  const server = createNodeServer(async request => {
    const url = new URL(request.url)
    url.protocol = 'https:'
    url.host = 'site.test'

    return gateway(new Request(url, request))
  }) as Server
  server.on('connection', (socket: Socket) => { sockets.add(socket) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    show: cid => { shown = cid },
    sent: () => [...sockets].reduce((total, { bytesWritten }) => total + bytesWritten, 0),
    close: () => { server.close() }
  }
}
