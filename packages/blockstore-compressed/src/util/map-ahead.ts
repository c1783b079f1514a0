import { iteratorOf, closeIterator } from './call-inner.ts'
import { raceSignal } from 'race-signal'

interface MapAheadOptions {
  /** How many values to work on at one time, including results that wait to be taken. */
  concurrency: number
  signal?: AbortSignal | null | undefined
}

/**
 * Map the values of a source, a few at one time, and yield the results in order. A finished
 * result is yielded without waiting for the source, which may itself wait until its earlier
 * values are stored.
 *
 * (it-parallel 3.0.16 closes its source only when that yields once more after its reader has
 * stopped: a source that stalls stays open.)
 */
export async function * mapAhead<T, R> (
  source: Iterable<T> | AsyncIterable<T>,
  map: (value: T) => Promise<R>,
  { concurrency, signal }: MapAheadOptions
): AsyncGenerator<R> {
  const iterator = iteratorOf(source)
  const running: Array<Promise<R>> = []
  let pulling: Promise<'pulled'> | undefined
  let ended = false

  const pull = async (): Promise<'pulled'> => {
    try {
      const next = await iterator.next()

      if (next.done === true) {
        ended = true
      } else {
        start(map(next.value))
      }
    } catch (err) {
      // fail in order, after the results before it
      ended = true
      start(Promise.reject(err))
    }

    return 'pulled'
  }

  const start = (result: Promise<R>): void => {
    // a failure is thrown when its result is due: until then it must not count as unhandled
    result.catch(() => {})
    running.push(result)
  }

  try {
    for (;;) {
      signal?.throwIfAborted()

      if (!ended && running.length < concurrency) {
        pulling ??= pull()
      }

      if (pulling == null && running.length === 0) {
        return
      }

      // wait for another value or the next result, whichever comes first
      const head = running[0]?.then(() => 'finished' as const)
      const first = await raceSignal(Promise.race([pulling, head].filter(step => step != null)), signal)

      if (first === 'pulled') {
        pulling = undefined
      } else {
        yield await (running.shift() as Promise<R>)
      }
    }
  } finally {
    closeIterator(iterator)
  }
}
