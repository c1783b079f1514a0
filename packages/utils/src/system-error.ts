/** The names of errors of blocks that are missing or damaged: a repair fetches them again. */
export const LOST: ReadonlySet<string> = new Set(['NotFoundError', 'CorruptBlockError'])

export interface SystemError extends Error {
  code: string
  /** What was called, such as `rename`. */
  syscall?: string
  path?: string
}

/** The error of a full disk among the causes of an error, and the path that it is about, if it says so. */
export function fullDiskError (err: Error): { code: string, path?: string } | undefined {
  const found = systemError(err)

  return found?.code === 'ENOSPC' || found?.code === 'EDQUOT' ? found : undefined
}

/** How many more bytes at most what failed for lack of space needs, by its error. */
const NEEDED = new WeakMap<Error, number>()

/** Note how many more bytes at most are needed by what failed for lack of space. */
export function noteNeededBytes (err: Error, bytes: number): void {
  NEEDED.set(err, bytes)
}

/** How many more bytes at most are needed, if that was noted of an error or of its causes. The outermost knows most. */
export function neededBytes (err: Error): number | undefined {
  return NEEDED.get(err) ?? (err.cause instanceof Error ? neededBytes(err.cause) : undefined)
}

/** Find the system error among the causes of an error. That of a missing block would name a file that never existed. */
export function systemError (err: unknown): SystemError | undefined {
  for (let cause = err; cause instanceof Error && !LOST.has(cause.name); cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && 'syscall' in cause) {
      return cause as SystemError
    }
  }

  return undefined
}
