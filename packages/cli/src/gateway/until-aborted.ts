/** Wait for a result that others may wait for too, no longer than a signal allows. Rejects with its reason. */
export async function untilAborted<T> (result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => { reject(signal.reason as Error) }

    signal.addEventListener('abort', stop, { once: true })
    result.finally(() => { signal.removeEventListener('abort', stop) }).then(resolve, reject)
  })
}
