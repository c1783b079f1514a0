import { iterateAny, letGo } from './abort.ts'
import { raceSignal } from 'race-signal'

export interface MapAheadOptions {
  /** How many values are worked on at one time, those that wait to be taken included. */
  concurrency: number
  signal?: AbortSignal | null | undefined
}

/**
 * Map the values of a source, a few at one time, and yield the results in its order.
 * A result that is next is yielded without waiting for the source: a source may wait
 * until what it gave before has been stored.
 */
export async function * mapAhead<T, R> (
  source: Iterable<T> | AsyncIterable<T>,
  map: (value: T) => Promise<R>,
  { concurrency, signal }: MapAheadOptions
): AsyncGenerator<R> {
  const iterator = iterateAny(source)
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
      // it fails in its place: what came before is yielded first
      ended = true
      start(Promise.reject(err))
    }

    return 'pulled'
  }

  const start = (result: Promise<R>): void => {
    // failures wait for their turn, and are never unhandled
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

      // whichever comes first: a value to work on, or the result that is next
      const head = running[0]?.then(() => 'finished' as const)
      const first = await raceSignal(Promise.race([pulling, head].filter(step => step != null)), signal)

      if (first === 'pulled') {
        pulling = undefined
      } else {
        yield await (running.shift() as Promise<R>)
      }
    }
  } finally {
    letGo(iterator)
  }
}
