// Room: calls of the blockstore around which this one is wrapped.
import { raceSignal } from 'race-signal'

/**
 * Call the inner store. If the signal is aborted, throws its reason, whatever the store
 * throws: stores wrap aborts in errors of their own (`FsBlockstore.get` in NotFoundError).
 */
export async function callInner<T> (call: () => T | PromiseLike<T>, signal?: AbortSignal | null): Promise<T> {
  signal?.throwIfAborted()

  try {
    return await raceSignal(Promise.resolve(call()), signal)
  } catch (err) {
    signal?.throwIfAborted()
    throw err
  }
}

/** Iterate over results of the inner store, with the same rule for aborts. */
export async function * iterateInner<T> (
  iterate: () => Iterable<T> | AsyncIterable<T>,
  signal?: AbortSignal | null
): AsyncGenerator<T> {
  signal?.throwIfAborted()
  const iterator = iteratorOf(iterate())
  let ended = false

  try {
    for (;;) {
      const next = await callInner(() => iterator.next(), signal)

      if (next.done === true) {
        ended = true
        return
      }

      yield next.value
    }
  } catch (err) {
    // a generator that threw has ended, and waiting for one that stalls would take forever
    ended = true
    closeIterator(iterator)
    throw err
  } finally {
    if (!ended) {
      await iterator.return?.()
    }
  }
}

export function iteratorOf<T> (source: Iterable<T> | AsyncIterable<T>): Iterator<T> | AsyncIterator<T> {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
}

/** Close an iterator without waiting: one that stalls would never finish. */
export function closeIterator (iterator: Iterator<unknown> | AsyncIterator<unknown>): void {
  const close = async (): Promise<unknown> => iterator.return?.()

  close().catch(() => {})
}
