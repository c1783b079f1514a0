import { PAGE_POLICY } from '../html/csp.ts'
import { renderStart } from '../html/start.ts'
import { pathOf } from '../request/start.ts'
import { addPageSecurity } from './headers.ts'
import type { Start } from '../request/start.ts'

/** The first page, or the way to what was entered there. */
export function respondStart ({ method }: Request, { entered, targets }: Start): Response {
  const location = entered == null ? undefined : pathOf(entered)
  const headers = new Headers({ 'cache-control': 'no-cache' })

  if (location != null) {
    headers.set('location', location)

    return new Response(null, { status: 303, headers })
  }

  // an empty field is no mistake
  const refused = entered === '' ? undefined : entered
  const body = new TextEncoder().encode(renderStart(refused))

  addPageSecurity(headers)
  headers.set('content-length', String(body.byteLength))
  headers.set(
    'content-security-policy',
    PAGE_POLICY.replace("form-action 'none'", ["form-action 'self'", ...targets].join(' '))
  )

  return new Response(method === 'HEAD' ? null : body, { status: refused == null ? 200 : 400, headers })
}
