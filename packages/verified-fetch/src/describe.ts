/** The reason phrases of RFC 9110, section 15. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  206: 'Partial Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  410: 'Gone',
  412: 'Precondition Failed',
  416: 'Range Not Satisfiable',
  422: 'Unprocessable Content',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout'
}

/** Set what a `Response` has only if it was fetched. */
export function describe (response: Response, { url, redirected }: Pick<Response, 'url' | 'redirected'>): Response {
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: 'basic' },
    statusText: { value: STATUS_TEXTS[response.status] ?? '' }
  })
}
