/**
 * How a version of a site's service worker makes way for the next one. Browsers alone would wait until the last page is
 * closed, so that loading it again is never enough. A navigation does not say whether it leaves the page that is open,
 * or is in another tab: so a hand-over page comes first, which asks.
 *
 * | shown | what happens | then |
 * |---|---|---|
 * | a page, or nothing | a navigation; no version waits, or several pages are open | this version answers |
 * | a page, or nothing | a navigation; one waits, and at most one page is open | the hand-over page comes |
 * | hand-over page | another page is open, or no version waits any more | it is loaded again |
 * | hand-over page | it is the only page | it tells the version that waits to take over |
 * | hand-over page | the next version has taken over | it is loaded again, and the next version answers |
 * | hand-over page | nothing for some seconds | it is loaded again; after two of them this version answers |
 *
 * From the moment that the next version is told until it has taken over, nobody should ask this one for anything. A
 * browser ends it when it has nothing to do. Chromium starts it again for a request that comes meanwhile, and goes on
 * with the hand-over only when it has had nothing to do for half a minute, or no page is left. Or it ends it in spite
 * of a navigation, which then goes to the server, and the tab stays empty (153, in 6 of 350 tests with DevTools
 * attached). So the hand-over page waits, and has no icon to be fetched.
 */
import type { FetchEvent, WorkerScope } from './worker-scope.ts'

/** Makes a version that waits the active one. Old versions send it too, so it must not change. */
const TAKE_OVER = 'ipfsz:take-over'

/** What a hand-over page asks. The answer is what it is to do: tell the next version, or be loaded again. */
const ASK = 'ipfsz:hand-over'
const RELOAD = 'ipfsz:reload'

/** How many hand-over pages are sent in a row. */
const MAX_PAGES = 2

/**
 * How long a hand-over page waits before it is loaded again, in seconds: phones take some to start a worker. Twice as
 * long each time, as the next version may have to wait for its gateway.
 */
const PATIENCE = 5
const MAX_PATIENCE = 40

/**
 * It is loaded again by its script, not by `Refresh`: at an address with a fragment, that would go to the fragment and
 * load nothing. Windows that a page of a stranger has opened run no scripts.
 */
const PAGE = `<!doctype html>
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<script>
const { serviceWorker } = navigator
const reload = () => location.reload()
const retry = seconds => setTimeout(() => {
  reload()
  if (seconds < ${MAX_PATIENCE}) retry(seconds * 2)
}, seconds * 1000)
serviceWorker.addEventListener('controllerchange', reload)
serviceWorker.onmessage = async ({ data }) => {
  if (data === '${RELOAD}') reload()
  if (data === '${TAKE_OVER}') (await serviceWorker.getRegistration())?.waiting?.postMessage(data)
}
serviceWorker.controller?.postMessage('${ASK}')
retry(${PATIENCE})
</script>
<noscript><a href="">Show this page</a></noscript>
`

/**
 * To be called while the worker starts.
 *
 * @returns a function that answers a navigation with a hand-over page, or not if this version answers itself. Its
 *   second argument asks this version for the status and the headers of its own answer
 */
export function createHandOver (
  scope: Pick<WorkerScope, 'registration' | 'clients' | 'skipWaiting' | 'addEventListener'>
): (event: Pick<FetchEvent, 'request'>, head: () => Promise<Response>) => Promise<Response | undefined> {
  /** The hand-over pages since this version last showed a page of its own. */
  let sent = 0

  scope.addEventListener('message', event => {
    if (event.data === TAKE_OVER) {
      void scope.skipWaiting()
    } else if (event.data === ASK) {
      event.waitUntil((async () => {
        const { source } = event
        const isLast = (await openPages(scope)).every(({ id }) => id === source?.id)
        source?.postMessage(isLast && scope.registration.waiting != null ? TAKE_OVER : RELOAD)
      })())
    }
  })

  return async ({ request: { destination } }, head) => {
    // a frame belongs to a page that stays, and so does a download
    if (destination !== 'document' || scope.registration.waiting == null || !await isShown(head())) {
      return undefined
    }

    const isOneOfMany = (await openPages(scope)).length > 1

    // several navigations may be on their way at once
    if (sent >= MAX_PAGES || isOneOfMany) {
      sent = 0
      return undefined
    }

    sent++

    return new Response(PAGE, { headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' } })
  }
}

async function openPages ({ clients }: Pick<WorkerScope, 'clients'>): Promise<ReadonlyArray<{ readonly id: string }>> {
  const windows = await clients.matchAll({ type: 'window' })

  return windows.filter(({ frameType }) => frameType !== 'nested')
}

/**
 * Whether a browser shows an answer as a page. It downloads others, and the page that was open stays. What this version
 * cannot answer, the next one may.
 */
async function isShown (head: Promise<Response>): Promise<boolean> {
  const { status, headers } = await head.catch(() => Response.error())
  const isDownload = headers.get('content-disposition')?.startsWith('attachment') ?? false

  return status < 200 || status >= 400 || (/html/.test(headers.get('content-type') ?? '') && !isDownload)
}
