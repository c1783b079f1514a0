/** A site whose files have versions, with a DNSLink on a gateway of ours: by https, or behind a proxy that ends it. */
import { ipfsz } from '@ipfsz/core'
import { createGateway } from '@ipfsz/gateway'
import { createNodeServer } from '@ipfsz/gateway/node'
import { MemoryBlockstore } from 'blockstore-core'
import { TLS } from './certificate.ts'
import { listen } from './listen.ts'
import type { Ipfsz } from '@ipfsz/core'
import type { GatewayInit } from '@ipfsz/gateway'
import type { CID } from 'multiformats/cid'

/** What is between visitors and the gateway: a proxy that changes requests and responses, and how it is reached. */
export interface Proxy {
  /** Where visitors come. With https, it has the certificate of tests. By default `http://127.0.0.1`. */
  origin?: string
  request?: (headers: Headers) => void
  response?: (headers: Headers) => void
}

/** The `Content-Encoding` of a response, and the dictionary that the browser said it has. */
interface Sent {
  coding: string | null
  dictionary: string | null
}

export interface VersionedSite {
  /** By default on loopback, which Chromium takes for secure without https. */
  url: string
  /** What the server sent last, or last for a path with its query. Both are null before the first request. */
  sent: (path?: string) => Sent
  /** Bytes that were sent so far, headers included. */
  written: () => number
  /** Publish a file: the next version of another one, if there is a base. */
  publish: (name: string, bytes: Uint8Array, base?: CID, frameSize?: number) => Promise<CID>
  /** Publish a directory of the store that was given. */
  show: (directory: CID) => void
  close: () => Promise<void>
}

/**
 * @param store - where the site is, instead of a store of its own
 * @param ttl - seconds for which the name is fresh. By default an hour, or 0 for a given store: visitors then see a new
 *   release at once
 */
export async function startVersionedSite (
  proxy: Proxy = {},
  store?: Pick<Parameters<typeof createGateway>[0], 'blocks'> & { fs: Ipfsz },
  init: GatewayInit = {},
  ttl = store == null ? 3600 : 0
): Promise<VersionedSite> {
  const { origin = 'http://127.0.0.1' } = proxy
  const memory = new MemoryBlockstore()
  const { fs, blocks } = store ?? { fs: ipfsz({ blockstore: memory }), blocks: memory }
  let root = await fs.addDirectory()
  root = await fs.cp(await fs.addBytes(Buffer.from('<!doctype html>')), root, 'index.html')
  const names = { resolve: async () => ({ cid: root, path: [], ttl }) }
  const gateway = createGateway({ fs, blocks, names }, init)
  const responses: Array<Sent & { path: string }> = []

  const { port, written, close } = await listen(createNodeServer(async request => {
    const url = new URL(request.url)
    url.protocol = 'https:'
    url.host = 'site.test'
    const headers = new Headers(request.headers)
    proxy.request?.(headers)
    const response = await gateway(new Request(url, { headers }))
    responses.push({
      path: url.pathname + url.search,
      coding: response.headers.get('content-encoding'),
      dictionary: headers.get('available-dictionary')
    })
    proxy.response?.(response.headers)

    return response
  }, origin.startsWith('https:') ? { tls: TLS } : {}))

  return {
    url: `${origin}:${port}/`,
    written,
    sent (asked) {
      const { coding = null, dictionary = null } = responses.findLast(({ path }) => path === (asked ?? path)) ?? {}

      return { coding, dictionary }
    },
    async publish (name, bytes, base, frameSize) {
      const cid = await fs.addBytes(bytes, {
        compression: {
          codec: 'zstd', level: 19, ...base == null ? {} : { base }, ...frameSize == null ? {} : { frameSize }
        }
      })
      root = await fs.cp(cid, root, name, { force: true })

      return cid
    },
    show: directory => { root = directory },
    close
  }
}

/** In a page: fetch a file, and tell the hash of what arrives and the bytes that came over the network. */
export async function loadInPage (path: string): Promise<{ hash: string, bytes: number }> {
  performance.clearResourceTimings()
  const bytes = await (await fetch(path, { cache: 'no-cache' })).arrayBuffer()
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const [entry] = performance.getEntriesByType('resource') as PerformanceResourceTiming[]

  return {
    hash: Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join(''),
    bytes: entry.encodedBodySize
  }
}
