import { messageOf } from '@ipfsz/utils/message-of'
import { codeOf } from './code-of.ts'

/** Error codes of a file that does not exist. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'])

/** Whether a system error says that there is no such file. */
export function isMissing (err: unknown): boolean {
  return MISSING.has(codeOf(err))
}

/** Wrap an error in one of the store's, with its cause. An AbortError stays as it is. */
export function withCause (type: new (message: string) => Error, message: string, cause: unknown): unknown {
  return cause instanceof Error && cause.name === 'AbortError'
    ? cause
    : Object.assign(new type(`${message}: ${messageOf(cause)}`), { cause })
}
