/**
 * A promise's outcome, or the signal's reason as soon as it is aborted: for what
 * cannot be told to stop, such as a source that stalls.
 */
export async function raceSignal<T> (outcome: T | PromiseLike<T>, signal?: AbortSignal | null): Promise<T> {
  if (signal == null) {
    return outcome
  }

  const promise = Promise.resolve(outcome)
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

/**
 * The outcome of a child's call. Blockstores wrap the abort in errors of their own
 * (`FsBlockstore.get` throws NotFoundError): once the signal is aborted, its reason is
 * what the caller gets.
 */
export async function callChild<T> (call: () => T | PromiseLike<T>, signal?: AbortSignal | null): Promise<T> {
  signal?.throwIfAborted()

  try {
    return await raceSignal(call(), signal)
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
