import type { Writable } from 'node:stream'

/** stdout or stderr: a stream that may be a terminal. */
export type OutputStream = Writable & { isTTY?: boolean, columns?: number }

/** Everything that the command takes from the process around it, so that a test can run it without one. */
export interface Io {
  stdin: AsyncIterable<Uint8Array>
  stdout: OutputStream
  stderr: OutputStream
  env: Readonly<Record<string, string | undefined>>
  /** The directory that relative paths start from. */
  cwd: string
  /** The time in milliseconds. */
  now (): number
  /** Aborted when the command is to end early, as by Ctrl-C. */
  signal: AbortSignal
}
