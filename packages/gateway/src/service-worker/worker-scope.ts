/**
 * What is used of the global scope of a service worker (w3.org/TR/service-workers). TypeScript's own types of it
 * contradict those of pages.
 */
export interface WorkerScope {
  readonly location: { readonly origin: string }
  readonly registration: { readonly scope: string }
  readonly clients: { claim (): Promise<void> }
  skipWaiting (): Promise<void>
  addEventListener (type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void
  addEventListener (type: 'fetch', listener: (event: FetchEvent) => void): void
}

export interface ExtendableEvent {
  waitUntil (promise: Promise<unknown>): void
}

export interface FetchEvent extends ExtendableEvent {
  readonly request: Request
  respondWith (response: Promise<Response>): void
}
