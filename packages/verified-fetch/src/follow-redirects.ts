import { describe } from './describe.ts'
import type { PluginContext } from '@helia/verified-fetch'
import type { CID } from 'multiformats/cid'

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
/** As many as browsers follow. */
const MAX_REDIRECTS = 20

/**
 * Answer a request, and follow redirects to other paths of the same origin, as `fetch` does: to a directory with a
 * slash at its end, or by a `_redirects` file. Redirects to other sites are returned.
 *
 * @throws {TypeError} the caller wants no redirects, or there is no end to them
 */
export async function followRedirects (
  request: Request,
  { redirect = 'follow', resource, terminalElement: { cid } }: Pick<
    PluginContext,
    'redirect' | 'resource' | 'terminalElement'
  >,
  answer: (request: Request) => Promise<Response>
): Promise<Response> {
  let current = request

  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await answer(current)
    const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null

    if (location != null && redirect === 'error') {
      throw new TypeError(`${String(resource)} redirects to ${location}`)
    }

    const next = location == null ? undefined : new URL(location, current.url)

    if (next == null || redirect === 'manual' || next.origin !== new URL(request.url).origin) {
      return describe(response, {
        url: redirects === 0 ? String(resource) : ipfsUrl(cid, current),
        redirected: redirects > 0
      })
    }

    current = new Request(next, current)
  }

  throw new TypeError(`${String(resource)} redirects more than ${MAX_REDIRECTS} times`)
}

function ipfsUrl (cid: CID, { url }: Request): string {
  const { pathname, search } = new URL(url)

  return `ipfs://${cid}${pathname}${search}`
}
