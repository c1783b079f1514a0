import { printable } from './output.ts'

/** Quotes a path for sh. One with unprintable characters becomes the placeholder. */
export function quote (path: string, placeholder: string): string {
  if (printable(path) !== path) {
    return placeholder
  }

  return /^[\w./:@%+,=-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
