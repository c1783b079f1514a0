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

/** A controller that is aborted with any of the signals, until it is told not to follow them. */
export function following (...signals: ReadonlyArray<AbortSignal | null | undefined>): { controller: AbortController, unfollow: () => void } {
  const controller = new AbortController()
  const followed = signals.filter(signal => signal != null)
  const unfollows = followed.map(signal => {
    const onAbort = (): void => { controller.abort(signal.reason) }

    signal.addEventListener('abort', onAbort, { once: true })

    return () => { signal.removeEventListener('abort', onAbort) }
  })
  const aborted = followed.find(signal => signal.aborted)

  if (aborted != null) {
    controller.abort(aborted.reason)
  }

  return { controller, unfollow: () => { unfollows.forEach(unfollow => { unfollow() }) } }
}

/** Wait, in milliseconds. */
export async function delay (time: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined

  try {
    await raceSignal(new Promise<void>(resolve => { timer = setTimeout(resolve, time) }), signal)
  } finally {
    clearTimeout(timer)
  }
}
