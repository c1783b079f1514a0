/**
 * Register the service worker, and wait until it answers the requests of this page.
 *
 * @throws {Error} there are no service workers here, or this one does not start
 */
export async function startWorker (gateways: readonly string[]): Promise<void> {
  if (!('serviceWorker' in navigator)) {
    throw new Error('Service workers are not available: use https or localhost, and not a private window')
  }

  const { serviceWorker } = navigator
  const url = new URL(`worker.js?${new URLSearchParams(gateways.map(gateway => ['gateway', gateway]))}`, location.href)
  const isReady = (): boolean => serviceWorker.controller?.scriptURL === url.href
  const { promise, resolve, reject } = Promise.withResolvers<void>()

  serviceWorker.addEventListener('controllerchange', () => {
    if (isReady()) {
      resolve()
    }
  })

  const { installing, active } = await serviceWorker.register(url)

  installing?.addEventListener('statechange', () => {
    if (installing.state === 'redundant') {
      reject(new Error('The service worker did not start: is the gateway a URL?'))
    }
  })

  if (isReady()) {
    return
  }

  if (installing == null && active?.scriptURL === url.href) {
    throw new Error('The page was loaded without its service worker: reload it, without Shift')
  }

  await promise
}
