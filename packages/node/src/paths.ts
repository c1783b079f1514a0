import { isAbsolute, resolve } from 'node:path'

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where relative paths start from. A getter may throw `WorkingDirectoryError`: only relative paths read it. */
export interface WorkingDirectory {
  readonly cwd: string
}

/** Make a path absolute. Only a relative one needs the working directory, which may be gone. */
export function absolutePath (path: string, place: WorkingDirectory): string {
  return isAbsolute(path) ? resolve(path) : resolve(place.cwd, path)
}
