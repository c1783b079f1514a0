/** Where each collection of which something was deleted begins. */
const positions = new WeakMap<object, Iterator<unknown>>()

/** Bound what is remembered in a Map or a Set: once there is more than `max`, what was added first is deleted. */
export function forgetOldest<K> (remembered: Pick<Map<K, unknown>, 'delete' | 'keys' | 'size'>, max: number): void {
  if (remembered.size > max) {
    remembered.delete(oldestOf(remembered))
  }
}

/**
 * What was added first to a Map or a Set that is not empty. It has to be deleted.
 *
 * To ask for the first key anew would take a millisecond with some hundred thousand of them: V8 leaves holes where keys
 * were, until it makes the table anew, and passes them one by one.
 */
export function oldestOf<K> (remembered: Pick<Map<K, unknown>, 'keys'>): K {
  const position = positions.get(remembered) as Iterator<K> | undefined
  const { done, value } = position?.next() ?? { done: true }

  if (done !== true) {
    return value as K
  }

  const keys = remembered.keys()
  positions.set(remembered, keys)

  return keys.next().value as K
}
