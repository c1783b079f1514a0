/** Time as sessions and collections see it. Tests bring their own. */
export interface Clock {
  /** Milliseconds since some moment, which never go back. */
  now: () => number
  /**
   * Call a function once, after a time in milliseconds. That may be below 0: the process may have been suspended.
   * Returns a function that takes this back.
   */
  after: (milliseconds: number, run: () => void) => () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, Math.max(0, milliseconds))

    return () => { clearTimeout(timer) }
  }
}

/** The same, for what nobody waits for: a process may end before its timers fire. */
export const backgroundClock: Clock = {
  now: systemClock.now,
  after: (milliseconds, run) => {
    const timer = setTimeout(run, Math.max(0, milliseconds)).unref()

    return () => { clearTimeout(timer) }
  }
}

/** Wait. Rejects with the signal's reason when that aborts. */
export async function sleep (clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()

  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      cancel()
      reject(signal?.reason as Error)
    }
    const cancel = clock.after(milliseconds, () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })

    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
