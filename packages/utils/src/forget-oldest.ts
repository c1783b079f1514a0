/** Bound what is remembered in a Map or a Set: once there is more than `max`, what was added first is deleted. */
export function forgetOldest<K> (remembered: Pick<Map<K, unknown>, 'delete' | 'keys' | 'size'>, max: number): void {
  if (remembered.size > max) {
    const [oldest] = remembered.keys()
    remembered.delete(oldest)
  }
}
