import { isAbsolute, join, relative } from 'node:path'
import type { Writable } from 'node:stream'

/** stdout or stderr: a stream that may be a terminal. */
export type OutputStream = Writable & { isTTY?: boolean, columns?: number }

/** All that the command uses of its process. A test passes its own, and needs no process. */
export interface Io {
  stdin: AsyncIterable<Uint8Array>
  /** Whether stdin is a pipe or a file, so that a command may read it without being told to. */
  readonly stdinIsPiped: boolean
  /** What is written to it may be freed once it has called back. */
  stdout: OutputStream
  stderr: OutputStream
  env: Readonly<Record<string, string | undefined>>
  /** The directory that relative paths start from. */
  cwd: string
  /** The time, in milliseconds since 1970. */
  now (): number
  /** Aborted to end the command early, for example by Ctrl-C. */
  signal: AbortSignal
}

/** Resolve a path from the command line. Relative paths stay relative, for messages. */
export function resolvePath (path: string, { cwd }: Pick<Io, 'cwd'>): string {
  // keep the empty path, which is an error, and `-`, which means stdin or stdout
  return path === '' || path === '-' || isAbsolute(path) ? path : join(relative(process.cwd(), cwd), path)
}
