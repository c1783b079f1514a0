import type { WorkerScope } from './worker-scope.ts'

/** The message that makes a worker that waits the active one. */
const TAKE_OVER = 'ipfsz:take-over'

/** Let the version before this one say when it may take over. */
export function waitForTurn (scope: WorkerScope): void {
  scope.addEventListener('message', ({ data }) => {
    if (data === TAKE_OVER) {
      void scope.skipWaiting()
    }
  })
}

/**
 * Hand a navigation to the next version of the worker, if one waits, and no other page is open that needs the files of
 * this one. Browsers alone would wait until the last page is closed, so that loading it again is never enough.
 *
 * @returns what makes the browser ask again, once this request no longer keeps this version active
 */
export async function handOver (
  { mode, url, referrer }: Pick<Request, 'mode' | 'url' | 'referrer'>,
  { registration, clients }: Pick<WorkerScope, 'registration' | 'clients'>
): Promise<Response | undefined> {
  const { waiting } = registration

  if (mode !== 'navigate' || waiting == null) {
    return undefined
  }

  const pages = await clients.matchAll({ type: 'window' })
  // the page that is left: it is loaded again, or a link in it was followed
  const isLeft = (page: string): boolean => [url, referrer].map(withoutFragment).includes(withoutFragment(page))

  if (pages.length > 1 || !pages.every(({ url }) => isLeft(url))) {
    return undefined
  }

  waiting.postMessage(TAKE_OVER)

  return new Response(null, { headers: { refresh: '0', 'cache-control': 'no-store' } })
}

function withoutFragment (url: string): string {
  return url.replace(/#.*$/, '')
}
