import { isUsageError } from '@ipfsz/utils/usage-errors'
import { systemError } from '@ipfsz/utils/system-error'
import { adviceFor } from './advice/advice.ts'
import { explainSystemError } from './advice/system-errors.ts'

export * from '@ipfsz/node/errors'
export { DISK_FULL } from './advice/system-errors.ts'
export { NOT_FETCHED } from './advice/damage.ts'
export { fullDiskError, neededBytes } from '@ipfsz/utils/system-error'

const WRONG_USAGE = 2
/** The exit code that shells report after Ctrl-C. */
const INTERRUPTED = 130
/** The exit code for every other error. */
export const FAILED = 1

/** The exit codes of errors of commands with codes of their own. */
const OWN_CODES = new WeakMap<Error, number>()

/** Give an error another exit code than its name has. */
export function withExitCode (err: Error, code: number): Error {
  OWN_CODES.set(err, code)

  return err
}

export function exitCode (err: Error): number {
  if (err.name === 'AbortError') {
    return INTERRUPTED
  }

  const own = OWN_CODES.get(err)

  if (own != null) {
    return own
  }

  return isUsageError(err) ? WRONG_USAGE : FAILED
}

/** The errors whose messages quote their causes. */
const QUOTING: ReadonlySet<string> = new Set([
  'DaemonError',
  'LinksError',
  'PinRecordError',
  'RepoError',
  'StoreError',
  'VerifyFailedError'
])

/** Describe an error in one line: what happened, and what to do next. */
export function explain (err: Error): string {
  const { cid, code, size, max, frames, frameSize, path } = err as Error & Values
  const advised = adviceFor(err, QUOTING.has(err.name) ? withCause(err) : err.message)

  if (advised != null) {
    return advised
  }

  switch (err.name) {
    case 'AbortError':
      return 'interrupted'
    case 'DamagedDagError':
    case 'UnreadableBaseError':
      return withCause(err)
    case 'NotAFileError':
      return 'this is a directory, not a file: list it with ipfsz ls, then read a file with CID/path'
    case 'FileTooLargeError':
      return `${path ?? 'the file'} exceeds ${frames} frames of ${frameSize} bytes: choose a larger --frame-size`
    case 'BlockTooLargeError':
      return `the block ${String(cid)} has at least ${size} bytes, which exceeds the limit of ${max}: ` +
        'add the file again with smaller blocks'
    case 'UnsupportedCodecError':
      return `the block ${String(cid)} is stored with the codec 0x${code?.toString(16)} of a newer ipfsz: ` +
        'update ipfsz'
    case 'UnknownHashError':
      return `cannot verify the block ${String(cid)}: its hash function 0x${code?.toString(16)} is not supported. ` +
        'Update ipfsz, or add the file again with sha2-256'
    case 'TimeoutError':
      return 'timed out: allow more time with --timeout'
  }

  return QUOTING.has(err.name) ? withCause(err) : explainSystemError(systemError(err)) ?? err.message
}

/** Fields of errors, for messages that mention options of the command, not of the library. */
interface Values {
  cid?: unknown
  code?: number
  size?: number
  max?: number
  frames?: number
  frameSize?: number
  path?: string
}

/** The message of an error. If it quotes one of its causes, with that cause explained. */
function withCause ({ message, cause }: Error): string {
  for (let at = cause; at instanceof Error; at = at.cause) {
    if (at.message !== '' && message.includes(at.message)) {
      const text = explain(at)
      const path = 'path' in at ? `${String(at.path)}: ` : ''

      // do not name the same path twice
      return message.replace(at.message, () => message.includes(path) ? text.replace(path, '') : text)
    }
  }

  return message
}
