/**
 * Register the service worker, with which the page opens offline, and players ask for ranges.
 *
 * @returns whether it answers the requests of this page. False where there are no service workers, such as on `file:`
 *   or in private windows, and after loading with Shift
 */
export async function registerWorker (): Promise<boolean> {
  try {
    const { serviceWorker } = navigator
    const controlled = new Promise<boolean>(resolve => {
      serviceWorker.addEventListener('controllerchange', () => { resolve(true) }, { once: true })
    })
    const { installing } = await serviceWorker.register('service-worker.js')

    if (serviceWorker.controller != null || installing == null) {
      return serviceWorker.controller != null
    }

    return await Promise.race([controlled, failed(installing)])
  } catch {
    return false
  }
}

/** Resolves with false once a worker cannot be installed. */
async function failed (worker: ServiceWorker): Promise<boolean> {
  return new Promise(resolve => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'redundant') {
        resolve(false)
      }
    })
  })
}
