import type { FetchEvent, WorkerScope } from './worker-scope.ts'

/** The message that makes a worker that waits the active one. */
const TAKE_OVER = 'ipfsz:take-over'

/** How many empty pages are sent in a row before this version shows its own page instead. */
const MAX_EMPTY_PAGES = 4

/**
 * Once the next version was told to take over: the seconds after which an empty page is loaded again although it has
 * not. A navigation that reaches this version just while the browser ends it is never answered, and its tab stays empty
 * (Chromium 153).
 */
const PATIENCE = 2

/**
 * An empty page, which is loaded again as soon as it belongs to the next version, or after some seconds. By a script: a
 * `Refresh` of an address with a fragment goes to that fragment, and loads nothing. Without scripts it is all there is.
 */
const emptyPage = (seconds: number): string => `<!doctype html><script>
navigator.serviceWorker.addEventListener("controllerchange",()=>location.reload(),{once:true})
setTimeout(()=>location.reload(),${seconds * 1000})
</script><noscript><meta http-equiv="refresh" content="${seconds}"></noscript>`

/** Let the version before this one say when it may take over. */
export function waitForTurn (scope: WorkerScope): void {
  scope.addEventListener('message', ({ data }) => {
    if (data === TAKE_OVER) {
      void scope.skipWaiting()
    }
  })
}

/**
 * Returns a function that hands a navigation to the next version of the worker, if one waits, and no other page is open
 * that needs the files of this one. Browsers alone would wait until the last page is closed, so that loading it again
 * is never enough.
 *
 * A navigation does not say whether it leaves the page that is open, or is in another tab. So an empty page comes
 * first: if it is the only one, all others are left.
 *
 * What the function returns makes the browser ask again: the empty page, or this version would stay active for the
 * request. Undefined: this version answers itself.
 */
export function createHandOver (
  { registration, clients }: Pick<WorkerScope, 'registration' | 'clients'>
): (event: Pick<FetchEvent, 'request' | 'resultingClientId'>) => Promise<Response | undefined> {
  /** The ids of the clients of the empty pages that were sent, one after the other. */
  const emptyPages: string[] = []

  return async ({ request: { destination, url }, resultingClientId }) => {
    const { waiting } = registration

    // a frame belongs to a page that stays, and so does a download
    if (destination !== 'document' || waiting == null || !isPage(url)) {
      return undefined
    }

    const windows = await clients.matchAll({ type: 'window' })
    const pages = windows.filter(({ frameType }) => frameType !== 'nested')

    if (pages.length > 1) {
      emptyPages.length = 0
      return undefined
    }

    // the browser does not replace this version, or does not say whose pages the answers are
    if (emptyPages.length >= MAX_EMPTY_PAGES) {
      return undefined
    }

    const isLast = pages.every(({ id }) => emptyPages.includes(id))

    if (isLast) {
      waiting.postMessage(TAKE_OVER)
    }

    emptyPages.push(resultingClientId)

    return new Response(emptyPage(isLast ? PATIENCE : 0), {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store'
      }
    })
  }
}

/** Whether a URL is that of a page, by its name: an archive is downloaded, and the page that was open stays. */
function isPage (url: string): boolean {
  const name = new URL(url).pathname.split('/').at(-1) ?? ''

  return !name.includes('.') || /\.x?html?$/i.test(name)
}
