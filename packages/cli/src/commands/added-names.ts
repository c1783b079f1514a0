import { basename, resolve } from 'node:path'

/** The path that stands for stdin. */
export const STDIN = '-'

/** The name of an added path. Resolved, so that `.` and `..` get the directory's real name. */
export function nameOf (path: string, cwd: string): string {
  return path === STDIN ? STDIN : basename(resolve(cwd, path)) || '/'
}
