import { basename } from 'node:path'
import { absolutePath } from '@ipfsz/node/environment'
import type { Io } from '../io.ts'

/** The path that stands for stdin. */
export const STDIN = '-'

/** The name of an added path. Resolved, so that `.` and `..` get the directory's real name. */
export function nameOf (path: string, io: Pick<Io, 'cwd'>): string {
  return path === STDIN ? STDIN : basename(absolutePath(path, io)) || '/'
}
