/** What lets a bounded number of tasks run at a time, the others in the order in which they came. */
export function requestSlots (max: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: Array<() => void> = []
  let free = max

  return async task => {
    if (free > 0) {
      free--
    } else {
      await new Promise<void>(resolve => { waiting.push(resolve) })
    }

    try {
      return await task()
    } finally {
      const next = waiting.shift() ?? (() => { free++ })
      next()
    }
  }
}
