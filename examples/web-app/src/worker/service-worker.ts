/** The service worker of the page: lets it open offline, and its players ask for ranges. Bundled by build.ts. */
import { isMediaUrl, relayMedia } from './relay-media.ts'
import type { Client } from './relay-media.ts'

/** Replaced by build.ts: the name of the cache of this build, and the files of the page. */
declare const CACHE: string
declare const FILES: readonly string[]

/** The beginning of the names of all caches of this page. */
const PREFIX = 'ipfsz-demo '

/** What is used of the global scope. TypeScript's own types of it contradict those of pages. */
interface WorkerScope {
  readonly registration: { readonly scope: string }
  readonly clients: { claim (): Promise<void>, get (id: string): Promise<Client | undefined> }
  skipWaiting (): Promise<void>
  addEventListener (type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void
  addEventListener (type: 'fetch', listener: (event: FetchEvent) => void): void
}

interface ExtendableEvent {
  waitUntil (promise: Promise<unknown>): void
}

interface FetchEvent {
  readonly request: Request
  readonly clientId: string
  respondWith (response: Promise<Response>): void
}

const scope = globalThis as unknown as WorkerScope

scope.addEventListener('install', event => {
  event.waitUntil(install())
})

scope.addEventListener('activate', event => {
  event.waitUntil(activate())
})

scope.addEventListener('fetch', event => {
  const { request, clientId } = event

  if (request.method !== 'GET' || !request.url.startsWith(scope.registration.scope)) {
    return
  }

  event.respondWith(isMediaUrl(request.url, scope.registration.scope)
    ? relayMedia(request, async () => scope.clients.get(clientId))
    : respond(request))
})

async function install (): Promise<void> {
  const cache = await caches.open(CACHE)

  await cache.addAll([...FILES])
  await scope.skipWaiting()
}

async function activate (): Promise<void> {
  const old = (await caches.keys()).filter(name => name.startsWith(PREFIX) && name !== CACHE)

  await Promise.all(old.map(async name => caches.delete(name)))
  await scope.clients.claim()
}

async function respond (request: Request): Promise<Response> {
  const cache = await caches.open(CACHE)
  const found = await cache.match(request, { ignoreVary: true, ignoreSearch: request.mode === 'navigate' })

  if (found != null) {
    return found
  }

  const response = await fetch(request)

  if (response.ok) {
    await cache.put(request, response.clone())
  }

  return response
}
