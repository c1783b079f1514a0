import { raceSignal } from 'race-signal'

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
