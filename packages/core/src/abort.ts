/**
 * A promise's outcome, or the signal's reason as soon as it is aborted: for what
 * cannot be told to stop, such as a source that stalls.
 */
export async function raceSignal<T> (promise: Promise<T>, signal?: AbortSignal | null): Promise<T> {
  if (signal == null) {
    return promise
  }

  // whoever loses the race must not end the process
  promise.catch(() => {})
  signal.throwIfAborted()

  return new Promise((resolve, reject) => {
    const onAbort = (): void => { reject(signal.reason) }
    const settle = (): void => { signal.removeEventListener('abort', onAbort) }

    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(settle)
  })
}
