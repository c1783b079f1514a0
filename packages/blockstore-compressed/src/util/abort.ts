import { raceSignal } from 'race-signal'

/**
 * The outcome of a child's call. Blockstores wrap the abort in errors of their own
 * (`FsBlockstore.get` throws NotFoundError): once the signal is aborted, its reason is
 * what the caller gets.
 */
export async function callChild<T> (call: () => T | PromiseLike<T>, signal?: AbortSignal | null): Promise<T> {
  signal?.throwIfAborted()

  try {
    return await raceSignal(Promise.resolve(call()), signal)
  } catch (err) {
    signal?.throwIfAborted()
    throw err
  }
}

/** What a child yields, under the same rule. */
export async function * iterateChild<T> (iterate: () => Iterable<T> | AsyncIterable<T>, signal?: AbortSignal | null): AsyncGenerator<T> {
  signal?.throwIfAborted()
  const iterator = iterateAny(iterate())
  let ended = false

  try {
    for (;;) {
      const next = await callChild(() => iterator.next(), signal)

      if (next.done === true) {
        ended = true
        return
      }

      yield next.value
    }
  } catch (err) {
    // a generator that has thrown has ended, one that stalls is not waited for
    ended = true
    letGo(iterator)
    throw err
  } finally {
    if (!ended) {
      await iterator.return?.()
    }
  }
}

export function iterateAny<T> (source: Iterable<T> | AsyncIterable<T>): Iterator<T> | AsyncIterator<T> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
}

/** End an iterator without waiting for it: one that stalls would keep the caller waiting. */
export function letGo (iterator: Iterator<unknown> | AsyncIterator<unknown>): void {
  const end = async (): Promise<unknown> => iterator.return?.()

  end().catch(() => {})
}
