/**
 * A controller that aborts when a signal does. It is made several times for each request, and costs a fraction of
 * `AbortSignal.any`, which holds every signal weakly and makes the garbage collector clean up after it.
 */
export function followSignal (signal: AbortSignal): AbortController {
  const controller = new AbortController()

  if (signal.aborted) {
    controller.abort(signal.reason)
  } else {
    signal.addEventListener('abort', () => { controller.abort(signal.reason) }, { once: true })
  }

  return controller
}
