import { messageOf } from '@ipfsz/utils/message-of'
import { NotFoundError } from './errors.ts'

/** Wrap what fails in an error of blockstores, with its cause. An abort stays what it is. */
export async function wrapErrors<T> (
  type: new (message: string) => Error,
  about: string,
  signal: AbortSignal | null | undefined,
  work: () => Promise<T>
): Promise<T> {
  signal?.throwIfAborted()

  try {
    return await work()
  } catch (cause) {
    signal?.throwIfAborted()
    throw Object.assign(new (cause instanceof NotFoundError ? NotFoundError : type)(`${about}: ${messageOf(cause)}`), {
      cause
    })
  }
}
