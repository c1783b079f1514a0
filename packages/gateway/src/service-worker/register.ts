import { readOwnRequest } from './own-request.ts'
import { createWorkerGateway } from './worker-gateway.ts'
import type { WorkerGatewayInit } from './worker-gateway.ts'
import type { WorkerScope } from './worker-scope.ts'

/**
 * Answer the requests of this service worker's pages below `/ipfs/` of their own origin. All others stay untouched: a
 * worker can have more listeners for these. To be called while the worker starts.
 *
 * A new version of the worker replaces the old one at once, also in open pages. Nothing changes for them: what a CID
 * names is the same in all versions, and they share the blocks that are kept. The old one still ends what it is
 * sending.
 *
 * @throws {InvalidGatewayUrlError} one of `gateways` is not the URL of a gateway
 * @throws {InvalidParametersError} there are no gateways, or one of `trusted` is not a CID
 */
export function registerIpfsz (init: WorkerGatewayInit): void {
  const scope = globalThis as unknown as WorkerScope
  const gateway = createWorkerGateway(init)

  scope.addEventListener('install', event => { event.waitUntil(scope.skipWaiting()) })
  // the page that registered the worker need not be loaded again
  scope.addEventListener('activate', event => { event.waitUntil(scope.clients.claim()) })

  scope.addEventListener('fetch', event => {
    const own = readOwnRequest(event.request, scope.location.origin)

    if (own != null) {
      event.respondWith(gateway(event.request, own))
    }
  })
}
