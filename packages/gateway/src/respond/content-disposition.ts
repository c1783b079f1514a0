import { encodeExtended } from 'content-disposition'

/** No file system has longer names. A client may refuse a response whose headers are too large. */
const MAX_FILENAME = 255

/** What a name is never for: control characters, and those that show `a[U+202E]gpj.exe` as `aexe.jpg`. */
const NOT_SHOWN = /[\p{Cc}\p{Bidi_Control}]/gu

export interface DispositionInit {
  /** Undefined: nothing is said unless the URL asks for it. */
  type?: 'inline' | 'attachment' | undefined
  /** The name of the file where the URL has none. */
  filename?: string | undefined
}

/**
 * The header `Content-Disposition` (Path Gateway, `Content-Disposition`). `?filename` and `?download` of
 * the URL take precedence. Undefined: the URL asks for nothing, and there is no type.
 *
 * Not by `create` of content-disposition: clients expect the quotes that it leaves out, and `_` for what is
 * not ASCII.
 */
export function contentDisposition (query: URLSearchParams, init: DispositionInit = {}): string | undefined {
  const asked = query.get('filename') ?? ''
  const usual = init.type ?? (asked === '' ? undefined : 'inline')
  const type = query.get('download') === 'true' ? 'attachment' : usual
  const filename = nameOf(asked) || nameOf(init.filename ?? '')

  return type == null || filename === '' ? type : `${type}; ${filenameParameters(filename)}`
}

/** The last name of a path, or '': a client may write where the others lead (RFC 6266, section 4.3). */
function nameOf (path: string): string {
  const last = path.split(/[/\\]/).at(-1) ?? ''
  const name = last.slice(0, MAX_FILENAME).toWellFormed().replaceAll(NOT_SHOWN, '_')

  return name === '.' || name === '..' ? '' : name
}

function filenameParameters (filename: string): string {
  const ascii = filename.replaceAll(/[^\x20-\x7e]/gu, '_')
  const quoted = ascii.replaceAll('"', '\\"')
  // some clients take %41 in the short form for an A
  const extended = ascii === filename && !filename.includes('%') ? '' : `; filename*=${encodeExtended(filename)}`

  return `filename="${quoted}"${extended}`
}
