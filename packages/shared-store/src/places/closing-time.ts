/**
 * How long requests to a store may take that begin after Ctrl-C, in milliseconds: those that end a session, a
 * collection or a node. What a store that keeps silent has not carried out by then expires by itself.
 */
const CLOSING_TIME = 3000
/** How long a gateway and a daemon may read what they are sending when they are stopped, in milliseconds. */
const SERVING_TIME = 10_000

/**
 * The signal for requests that begin now. Ctrl-C ends those that run at once, and leaves time for those that it causes.
 *
 * @param signal - aborted by Ctrl-C
 */
export function requestSignal (signal: AbortSignal): () => AbortSignal {
  const closed = abortedLater(signal, CLOSING_TIME)

  return () => signal.aborted ? closed : signal
}

/** The signal that ends the requests of a server: responses in progress may finish. */
export function servingSignal (signal: AbortSignal): AbortSignal {
  return abortedLater(signal, SERVING_TIME)
}

/** A signal that aborts so many milliseconds after another one, with its reason. */
function abortedLater (signal: AbortSignal, milliseconds: number): AbortSignal {
  const later = new AbortController()
  const onAbort = (): void => {
    // a process that has nothing else to do ends earlier
    setTimeout(() => { later.abort(signal.reason) }, milliseconds).unref()
  }

  if (signal.aborted) {
    onAbort()
  } else {
    signal.addEventListener('abort', onAbort, { once: true })
  }

  return later.signal
}
