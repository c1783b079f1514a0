import { isAbsolute, join, relative } from 'node:path'
import { UsageError } from './errors.ts'
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
  /**
   * Called before work that is done to its end even if nobody reads what is printed. By default a command ends when the
   * reader of its stdout does.
   */
  outliveReader? (): void
  stderr: OutputStream
  env: Readonly<Record<string, string | undefined>>
  /**
   * What the user types to run this command.
   *
   * @default 'ipfsz'
   */
  readonly command?: string
  /**
   * The directory that relative paths start from.
   *
   * @throws {WorkingDirectoryError} it was deleted
   */
  readonly cwd: string
  /** The time, in milliseconds since 1970. */
  now (): number
  /** Aborted to end the command early, for example by Ctrl-C. */
  signal: AbortSignal
}

/** Resolve a path from the command line. Relative paths stay relative, for messages. */
export function resolvePath (path: string, io: Pick<Io, 'cwd'>): string {
  if (path === '') {
    throw new UsageError('a path is empty: pass a file or directory. In a script, check the variable that sets it')
  }

  // `-` means stdin or stdout
  return path === '-' || isAbsolute(path) ? path : join(relative('', io.cwd), path)
}
