/** What waits for each signal. */
const waiting = new WeakMap<AbortSignal, Waiting>()

interface Waiting {
  /** Ends each wait with the reason of the signal. */
  rejects: Set<(reason: unknown) => void>
  abort: () => void
}

/**
 * Wait for a promise or for the signal, whichever is first. Throws the signal's reason.
 *
 * All that wait for a signal share one listener; with `raceSignal` of race-signal, each has one of its own, and Node
 * compares a new one with all others. So this one is for many waits on one signal, such as one for each file of a tree
 * or each block of a request: 50 at a time take half the processor time, 1,000 an eighth. A single wait costs the same,
 * and is left to the library. Here a value may also be no promise.
 */
// not async: a small file of a tree waits for a few, and each promise counts
export function raceAbort<T> (value: PromiseLike<T> | T, signal?: AbortSignal | null): Promise<T> {
  const settled = Promise.resolve(value)

  if (signal == null) {
    return settled
  }

  if (signal.aborted) {
    // nobody waits for its error any more
    settled.catch(() => {})

    return Promise.reject(signal.reason)
  }

  return new Promise<T>((resolve, reject) => {
    const leave = join(signal, reject)

    settled.then(value => {
      leave()

      return resolve(value)
    }, (err: unknown) => {
      leave()
      reject(err)
    })
  })
}

/** @returns stops waiting */
function join (signal: AbortSignal, reject: (reason: unknown) => void): () => void {
  const all = waiting.get(signal) ?? listen(signal)
  all.rejects.add(reject)

  return () => {
    all.rejects.delete(reject)

    if (all.rejects.size === 0) {
      signal.removeEventListener('abort', all.abort)
      waiting.delete(signal)
    }
  }
}

function listen (signal: AbortSignal): Waiting {
  const rejects: Waiting['rejects'] = new Set()

  const abort = (): void => {
    for (const reject of rejects) {
      reject(signal.reason)
    }

    // what they wait for may never come
    rejects.clear()
    signal.removeEventListener('abort', abort)
    waiting.delete(signal)
  }

  const all = { rejects, abort }
  signal.addEventListener('abort', abort)
  waiting.set(signal, all)

  return all
}
