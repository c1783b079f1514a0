import { showName } from './escape.ts'
import { page } from './page.ts'

export interface ErrorPage {
  /** The HTTP status. */
  status: number
  /** What went wrong, in one sentence. */
  message: string
  /** The name of the error, for those who look it up. */
  name?: string | undefined
}

/** The name of a status (RFC 9110, section 15), and what the reader can do about it. */
const STATUSES: Readonly<Record<number, readonly [title: string, advice: string]>> = {
  400: ['Bad request', 'Check the address for typos.'],
  404: ['Not found', 'Check the path. If it was right before, the content may have moved.'],
  405: ['Method not allowed', 'This gateway is read-only.'],
  406: ['Not acceptable', 'This content is not available in the requested format.'],
  410: ['Gone', 'This gateway no longer serves this content.'],
  412: ['Not stored here', 'This gateway does not have the content, and the request did not allow fetching it.'],
  413: ['Too large', 'Request a part of it with a range.'],
  416: ['Range not satisfiable', 'The range begins after the end of the file.'],
  429: ['Too many requests', 'Wait a moment, then try again.'],
  451: ['Unavailable for legal reasons', 'This gateway may not serve this content.'],
  500: ['Something went wrong', 'The gateway could not read this content.'],
  501: ['Not implemented', 'This gateway does not support this request.'],
  502: ['Content unavailable', 'No provider sent the content. Try again later.'],
  503: ['Busy', 'Wait a moment, then try again.'],
  504: ['Took too long', 'Try again later: the content did not arrive in time.']
}

/** After these, the same request may succeed. */
function isTemporary (status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501)
}

/** The page of an error. Needs no script, and loads nothing. */
export function renderError ({ status, message, name }: ErrorPage): string {
  const [title, advice] = STATUSES[status] ?? STATUSES[status >= 500 ? 500 : 400]

  return page(`${status} ${title}`, `<main>
<p class="status">${[status, name].filter(part => part != null).join(' ')}</p>
<h1>${title}</h1>
<p class="message">${showName(message)}</p>
<p class="note">${advice}</p>${isTemporary(status) ? '\n<p><a href="">Try again</a></p>' : ''}
</main>`)
}
