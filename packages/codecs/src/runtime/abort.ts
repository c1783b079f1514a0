/**
 * A promise's outcome, or the signal's reason as soon as it is aborted: for what
 * cannot be told to stop.
 */
export async function raceSignal<T> (outcome: T | Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (signal == null || !(outcome instanceof Promise)) {
    return outcome
  }

  return new Promise((resolve, reject) => {
    const onAbort = (): void => { reject(signal.reason) }

    signal.addEventListener('abort', onAbort, { once: true })
    outcome.then(resolve, reject).finally(() => { signal.removeEventListener('abort', onAbort) })
  })
}
