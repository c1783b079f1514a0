/**
 * What is used of the global scope of a service worker (w3.org/TR/service-workers). TypeScript's own types of it
 * contradict those of pages.
 */
export interface WorkerScope {
  readonly location: { readonly origin: string }
  readonly registration: {
    readonly scope: string
    /** The next version, which is installed and not yet active. */
    readonly waiting: { postMessage (message: unknown): void } | null
  }
  readonly clients: {
    claim (): Promise<void>
    /** The pages and frames that this version of the worker has. */
    matchAll (options: { type: 'window' }): Promise<ReadonlyArray<{ readonly id: string, readonly frameType: string }>>
  }
  skipWaiting (): Promise<void>
  addEventListener (type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void
  addEventListener (type: 'fetch', listener: (event: FetchEvent) => void): void
  addEventListener (type: 'message', listener: (event: ExtendableMessageEvent) => void): void
}

export interface ExtendableEvent {
  waitUntil (promise: Promise<unknown>): void
}

export interface ExtendableMessageEvent extends ExtendableEvent {
  readonly data: unknown
  /** The page or the worker that sent it. */
  readonly source: { readonly id?: string, postMessage (message: unknown): void } | null
}

export interface FetchEvent extends ExtendableEvent {
  readonly request: Request
  respondWith (response: Promise<Response>): void
}
