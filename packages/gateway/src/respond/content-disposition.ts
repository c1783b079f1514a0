import { encodeExtended } from 'content-disposition'

/**
 * The header `Content-Disposition`. Not by `create` of `content-disposition`: clients expect the
 * quotes that it leaves out, and `_` for what is not ASCII (Path Gateway, `Content-Disposition`).
 */
export function contentDisposition (type: 'inline' | 'attachment', filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]/g, '_')
  const quoted = ascii.replace(/["\\]/g, '\\$&')
  // some clients take %41 in the short form for an A
  const extended = ascii === filename && !filename.includes('%') ? '' : `; filename*=${encodeExtended(filename)}`

  return `${type}; filename="${quoted}"${extended}`
}
