import { describe } from './describe.ts'
import type { VerifiedFetch } from '@helia/verified-fetch'

/**
 * Answer a path that is not percent-encoded UTF-8, such as `/%zz`, with 400, as gateways do. `@helia/verified-fetch`
 * decodes the path before it asks a plugin, and answers 500. Everything else goes on to `fetch`.
 *
 * @param fetch - from `createVerifiedFetch` or `createVerifiedFetchWithHelia`
 */
export function checkPaths (fetch: VerifiedFetch): VerifiedFetch {
  const checked = async (...[resource, options]: Parameters<VerifiedFetch>): Promise<Response> => {
    const reason = options?.method === 'OPTIONS' ? undefined : whyInvalid(String(resource))

    if (reason == null) {
      return fetch(resource, options)
    }

    options?.signal?.throwIfAborted()
    const response = new Response(options?.method === 'HEAD' ? null : reason, {
      status: 400,
      headers: { 'access-control-allow-origin': '*', 'content-type': 'text/plain; charset=utf-8' }
    })

    return describe(response, { url: String(resource), redirected: false })
  }

  return Object.assign(checked, { start: fetch.start, stop: fetch.stop })
}

/** Why the path of a resource cannot be decoded. Undefined if it can, or if it is no URL, which has its own error. */
function whyInvalid (resource: string): string | undefined {
  // CIDs and paths are relative to any URL
  const path = URL.parse(resource, 'ipfs://cid/')?.pathname ?? ''

  try {
    decodeURIComponent(path)

    return undefined
  } catch {
    return `The path ${path} is not percent-encoded UTF-8`
  }
}
