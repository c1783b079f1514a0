import { InvalidParametersError } from '@ipfsz/core/reader'
import { createHandOver } from './next-version.ts'
import { readOwnRequest } from './own-request.ts'
import { Site } from './site.ts'
import { createWorkerGateway } from './worker-gateway.ts'
import type { OwnRequest } from './own-request.ts'
import type { SiteInit } from './site.ts'
import type { WorkerGatewayInit } from './worker-gateway.ts'
import type { FetchEvent, WorkerScope } from './worker-scope.ts'

export interface ServiceWorkerInit extends WorkerGatewayInit {
  /**
   * A site whose files are all other paths of this origin. The scope of the worker must be the whole origin.
   *
   * @default other paths are left alone
   */
  site?: SiteInit | undefined
}

/**
 * Answer the requests of this service worker's pages below `/ipfs/` of their own origin. All others stay untouched: a
 * worker can have more listeners for these. To be called while the worker starts.
 *
 * A new version of the worker replaces the old one at once, also in open pages. Nothing changes for them: what a CID
 * names is the same in all versions, and they share the blocks that are kept. The old one still ends what it is
 * sending.
 *
 * With a `site`, a new version has another release, whose files would not fit to the pages that are open. It waits
 * until no more than one of them is open, and that one is loaded again or left.
 *
 * @throws {InvalidGatewayUrlError} one of `gateways` is not the URL of a gateway
 * @throws {InvalidParametersError} there are no gateways, `trusted` or the root of the site are not CIDs, the scope of
 *   a site is not the whole origin, or `timeout` is not above 0
 */
export function registerIpfsz ({ site: siteInit, trusted = [], ...init }: ServiceWorkerInit): void {
  const scope = globalThis as unknown as WorkerScope
  const { origin } = scope.location
  const site = siteInit == null ? undefined : new Site(siteInit)

  if (site != null && new URL(scope.registration.scope).pathname !== '/') {
    throw new InvalidParametersError(`The scope ${scope.registration.scope} of a site must be the whole origin`)
  }

  const gateway = createWorkerGateway({ ...init, trusted: site == null ? trusted : [...trusted, site.root] })

  if (site == null) {
    scope.addEventListener('install', event => { event.waitUntil(scope.skipWaiting()) })
  }

  // the page that registered the worker need not be loaded again
  scope.addEventListener('activate', event => { event.waitUntil(scope.clients.claim()) })

  const handOver = site == null ? undefined : createHandOver(scope)
  const answer = async (event: FetchEvent, own: OwnRequest): Promise<Response> =>
    await handOver?.(event, async () => gateway(new Request(event.request.url, { method: 'HEAD' }), own)) ??
      gateway(event.request, own)

  scope.addEventListener('fetch', event => {
    const { request } = event
    const own = readOwnRequest(request, { origin, site })

    if (own != null) {
      event.respondWith(answer(event, own))
    }
  })
}
