/** Types that browsers show as pages, which can hold scripts. */
const PAGE_TYPE = /html|xml/

/**
 * What a page of a stranger may do: be shown, and lead elsewhere. It is on the origin of the site, so its scripts could
 * do all that the site can: also those of `javascript:` links, in windows that it opens. Without that origin, its
 * images and styles would not be requests of this worker.
 */
const STRANGER = "sandbox allow-same-origin allow-popups allow-downloads; script-src 'none'; object-src 'none'"

export function restrict (response: Response, isTrusted: boolean): Response {
  const { headers } = response

  headers.set('x-content-type-options', 'nosniff')

  if (!isTrusted && PAGE_TYPE.test(headers.get('content-type') ?? '')) {
    headers.append('content-security-policy', STRANGER)
  }

  return response
}
