import type { FetchEvent, WorkerScope } from './worker-scope.ts'

/** The message that makes a worker that waits the active one. */
const TAKE_OVER = 'ipfsz:take-over'

/** How often the next version is told to take over before this one shows its own page instead. */
const MAX_OFFERS = 5

/** The empty pages that were sent, by the ids of their clients. */
const emptyPages = new Set<string>()

/** How often the next version was told to take over. */
let offers = 0

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
 * A navigation does not say whether it leaves the page that is open, or is in another tab. So an empty page comes
 * first: if it is the only one, all others are left.
 *
 * @returns what makes the browser ask again: the empty page, or this version would stay active for the request
 */
export async function handOver (
  { request: { destination }, resultingClientId }: Pick<FetchEvent, 'request' | 'resultingClientId'>,
  { registration, clients }: Pick<WorkerScope, 'registration' | 'clients'>
): Promise<Response | undefined> {
  const { waiting } = registration

  // a frame belongs to a page that stays
  if (destination !== 'document' || waiting == null) {
    return undefined
  }

  const windows = await clients.matchAll({ type: 'window' })
  const pages = windows.filter(({ frameType }) => frameType !== 'nested')

  if (pages.length > 1 || offers === MAX_OFFERS) {
    return undefined
  }

  // seconds: the browser replaces this version once it has nothing to do, so it must not be asked all the time
  const pause = offers === 0 ? 0 : 1

  if (pages.every(({ id }) => emptyPages.has(id))) {
    waiting.postMessage(TAKE_OVER)
    offers++
  }

  emptyPages.add(resultingClientId)

  return new Response(null, { headers: { refresh: `${pause}`, 'cache-control': 'no-store' } })
}
