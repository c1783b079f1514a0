/** A site with a DNSLink on a gateway of ours, and what a stranger publishes to read what the site keeps. */
import { ipfsz } from '@ipfsz/core'
import { createGateway } from '@ipfsz/gateway'
import { createNodeServer } from '@ipfsz/gateway/node'
import { MemoryBlockstore } from 'blockstore-core'
import { expect } from 'vitest'
import { listen } from './listen.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** Tries what a page may do in its origin. What it finds, or the name of the error, is an attribute of the page. */
const ATTACK = `
  const attempt = async read => { try { return await read() } catch (err) { return err.name } }
  Promise.all([
    attempt(() => localStorage.secret ?? 'nothing'),
    attempt(() => document.cookie),
    attempt(() => navigator.serviceWorker.register('sw.js').then(() => 'registered')),
    attempt(() => parent === self ? opener.document.title : parent.document.title)
  ]).then(found => { document.documentElement.setAttribute('data-found', [self.origin, ...found]) })
`
const HTML = `<!doctype html><title>x</title><script>${ATTACK}</script>`
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><body><script><![CDATA[${ATTACK}]]></script></body></html>`

const EVIL = {
  'x.html': HTML,
  'x.svg': `<svg xmlns="http://www.w3.org/2000/svg"><script>${ATTACK}</script></svg>`,
  'x.xhtml': XHTML,
  'x.xml': XHTML,
  'x.xsl': XHTML,
  unnamed: HTML,
  'sw.js': 'addEventListener("fetch", () => {})',
  'index/index.html': HTML,
  'ipfs-404.html': HTML
}

const SITE = { 'index.html': '<!doctype html><title>The site</title><h1>The site</h1>', 'sw.js': EVIL['sw.js'] }

/** Where the attack is, below the root of the stranger. */
export const ATTACKS = [
  'x.html', 'x.svg', 'x.xhtml', 'x.xml', 'x.xsl', 'unnamed', 'unnamed?filename=a.html', 'x.html?download=false',
  'x.html?format=', 'x.svg?filename=x.xml', 'index/', 'index', 'no/such/page'
]

/** What an attack finds in an origin that it shares with nobody. */
export function foundNothing (found: string | null | undefined): void {
  const [origin, storage, cookies, worker, other, ...rest] = found?.split(',') ?? []

  expect({ origin, storage, cookies, rest })
    .toEqual({ origin: 'null', storage: 'SecurityError', cookies: 'SecurityError', rest: [] })
  // without an opener, or where there are no workers, it is another error
  expect(worker).toMatch(/Error$/)
  expect(other).toMatch(/Error$/)
}

/** The name that has the DNSLink. */
export const SITE_HOST = 'site.test'

export interface ForeignHost {
  /** An origin that browsers take for secure: http on loopback. */
  origin: string
  /** The CID of what the stranger publishes. */
  evil: string
  close: () => Promise<void>
}

/**
 * @param host - what the gateway takes the origin for: `SITE_HOST`, or a name that has no DNSLink
 * @param addTree - adds a directory
 */
export async function startForeignHost (
  host: string,
  addTree: (fs: Ipfsz, files: Readonly<Record<string, string>>) => Promise<CID>
): Promise<ForeignHost> {
  const blocks = new MemoryBlockstore()
  const fs = ipfsz({ blockstore: blocks })
  const [cid, evil] = [await addTree(fs, SITE), await addTree(fs, EVIL)]
  const resolve = async (name: string): Promise<{ cid: CID, path: string[], ttl: number }> => {
    if (name !== SITE_HOST) {
      throw Object.assign(new Error(`${name} has no record`), { name: 'NameNotFoundError' })
    }

    return { cid, path: [], ttl: 60 }
  }
  const gateway = createGateway({ fs, blocks, names: { resolve } })
  const { port, close } = await listen(createNodeServer(async request => {
    const url = new URL(request.url)
    url.host = host

    return gateway(new Request(url, request))
  }))

  return { origin: `http://127.0.0.1:${port}`, evil: evil.toString(), close }
}
