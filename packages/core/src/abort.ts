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

  const settled = new AbortController()
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => { reject(signal.reason) }, { signal: settled.signal })
  })

  try {
    return await Promise.race([promise, aborted])
  } finally {
    settled.abort()
  }
}
