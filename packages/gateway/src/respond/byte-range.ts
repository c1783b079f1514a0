/** Bytes of a representation, both ends included. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * The range that a request asks for. Undefined: the whole, as there is no range, or several, or
 * `If-Range` names another representation (RFC 9110, sections 13.1.5 and 14.2).
 */
export function rangeOf (request: Request, etag: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const { headers, method } = request
  const [, first, last] = /^bytes=\s*(\d{0,16})-(\d{0,16})\s*$/i.exec(headers.get('range') ?? '') ?? []
  const condition = headers.get('if-range')

  if (first == null || first + last === '' || method !== 'GET' || (condition != null && condition !== etag)) {
    return undefined
  }

  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)

  // an invalid range is ignored, like any other header that cannot be parsed
  if (first !== '' && last !== '' && Number(last) < start) {
    return undefined
  }

  return start > end ? 'unsatisfiable' : { start, end }
}
