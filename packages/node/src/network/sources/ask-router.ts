// Room: where missing blocks come from: gateways that the user names, those that routers or the DHT list, peers.
// `block-sources.ts` orders them. URLs of strangers are checked in `http-address.ts`, the addresses that their names
// resolve to in `public-fetch.ts`.
import { hideSecrets } from '@ipfsz/utils/hide-secrets'
import { readTextAtMost } from '@ipfsz/utils/read-at-most'
import { UsageError } from '../../errors.ts'
import { chunksOf, createNodeFetch } from '../node-fetch.ts'
import type { Router } from './routed-source.ts'
import type { CID } from 'multiformats/cid'

/** Maximum bytes of an answer, 1 MiB. */
const MAX_ANSWER_SIZE = 1024 * 1024
/** Maximum addresses of one provider. */
const MAX_ADDRESSES = 32
/** Routers leave out what cannot be a gateway, if they understand this (IPIP-484). */
const FILTER = 'filter-protocols=unknown,transport-ipfs-gateway-http'

/**
 * A delegated router.
 *
 * @throws {UsageError} the text is not its URL
 */
export function delegatedRouter (text: string): Router {
  const url = parseRouterUrl(text)

  return { name: url.href, find: (root, signal) => askRouter(url, root, signal) }
}

/** The base URL of a delegated router, below which `routing/v1` is. */
export function parseRouterUrl (given: string): URL {
  const url = URL.parse(given)

  if (url != null && (url.username !== '' || url.password !== '')) {
    throw new UsageError(`The URL of the router ${url.host} contains credentials: remove them`)
  }

  if (url == null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new UsageError(`"${hideSecrets(given)}" is not the URL of a router. Example: https://router.example.com`)
  }

  url.pathname = `${url.pathname.replace(/\/(?:routing\/v1(?:\/providers)?\/?)?$/, '')}/`

  return url
}

/**
 * Ask a delegated router for the providers of a CID (specs.ipfs.tech/routing/http-routing-v1), and yield their
 * multiaddrs as they come. Nothing of what it answers is checked.
 */
async function * askRouter (router: URL, cid: CID, signal: AbortSignal): AsyncGenerator<string> {
  const { status, headers, body } = await createNodeFetch()(
    new URL(`routing/v1/providers/${cid}?${FILTER}`, router),
    { headers: { accept: 'application/x-ndjson, application/json;q=0.9' }, signal }
  )

  // 404: no providers, as old routers say it (IPIP-513)
  if (status === 404 || body == null) {
    await body?.cancel()
    return
  }

  if (status !== 200) {
    await body.cancel()
    throw new Error(`${status >= 300 && status < 400 ? 'redirects' : 'answered'} with the status ${status}`)
  }

  if (headers.get('content-type')?.startsWith('application/x-ndjson') === true) {
    for await (const line of lines(chunksOf(body))) {
      yield * addressesOf(JSON.parse(line))
    }
  } else {
    const answer = await readTextAtMost(chunksOf(body), MAX_ANSWER_SIZE, tooLarge)
    const { Providers: providers } = JSON.parse(answer) as { Providers?: unknown }

    for (const provider of Array.isArray(providers) ? providers : []) {
      yield * addressesOf(provider)
    }
  }
}

/** The addresses of a provider (Peer Schema). */
function addressesOf (provider: unknown): string[] {
  const { Addrs: addresses } = (provider ?? {}) as { Addrs?: unknown }

  return (Array.isArray(addresses) ? addresses : [])
    .slice(0, MAX_ADDRESSES)
    .filter(address => typeof address === 'string')
}

/** The lines of an answer that are not empty. */
async function * lines (body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let size = 0

  for await (const bytes of body) {
    if ((size += bytes.byteLength) > MAX_ANSWER_SIZE) {
      throw tooLarge()
    }

    const parts = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n')
    rest = parts.pop() ?? ''
    yield * parts.filter(line => line.trim() !== '')
  }

  if (rest.trim() !== '') {
    yield rest
  }
}

function tooLarge (): Error {
  return new Error(`sent a response that exceeds the limit of ${MAX_ANSWER_SIZE} bytes`)
}
