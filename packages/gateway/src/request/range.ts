/** Bytes of a representation, from `start` to `end` (exclusive). */
export interface ByteRange {
  start: number
  end: number
}

const RANGES = /^bytes=(.*)$/i
const RANGE = /^(\d*)-(\d*)$/

/**
 * The range that a request is answered with (RFC 9110, section 14.2): of several, the first that
 * holds bytes. Undefined if the header is to be ignored: another unit, not valid, or nothing to
 * choose from in an empty file.
 *
 * `range-parser` refuses a suffix that is longer than the file, which means the whole file.
 *
 * @param size - bytes of the whole representation
 */
export function parseRange (header: string | null, size: number): ByteRange | 'unsatisfiable' | undefined {
  const ranges = header == null ? null : RANGES.exec(header.trim())

  if (ranges == null || size === 0) {
    return undefined
  }

  let found: ByteRange | undefined

  for (const spec of ranges[1].split(',')) {
    const [, first, last] = RANGE.exec(spec.trim()) ?? []

    if (first == null || (first === '' && last === '') || (first !== '' && last !== '' && +last < +first)) {
      return undefined
    }

    const start = first === '' ? Math.max(size - Number(last), 0) : Number(first)
    const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size)

    if (found == null && start < end) {
      found = { start, end }
    }
  }

  return found ?? 'unsatisfiable'
}
