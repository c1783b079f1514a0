import { NameError } from '../errors.ts'

/**
 * Publish or resolve a name within a time, in milliseconds.
 *
 * @param failed - what did not happen, for the message
 */
export async function withTimeout<T> (
  timeout: number,
  signal: AbortSignal,
  failed: string,
  work: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  const expired = AbortSignal.timeout(timeout)

  try {
    return await work(AbortSignal.any([signal, expired]))
  } catch (err) {
    throw expired.aborted && !signal.aborted
      ? new NameError(`${failed}: no answer within ${timeout / 1000} s`, { reason: 'timeout', cause: err })
      : err
  }
}
