/** An instance with a larger heap is dropped after the call, in bytes. Frames of 4 MiB need less. */
const MAX_KEPT_HEAP = 32 * 1024 * 1024

/** An instance of a WebAssembly module. */
export interface Instance {
  readonly memory: WebAssembly.Memory
}

/**
 * Returns a function that runs calls on one shared instance. The instance is replaced after a
 * failed call, since a corrupt frame may leave its heap in disorder, and after a call that
 * needed much memory, since a heap never shrinks. Starting one takes less than a millisecond.
 */
export function reuseInstance<T extends Instance> (
  start: () => Promise<T>
): <R>(call: (instance: T) => R | Promise<R>) => Promise<R> {
  let current: Promise<T> | undefined

  return async call => {
    const starting = current ??= start()
    let keep = false

    try {
      const instance = await starting
      const result = await call(instance)
      keep = instance.memory.buffer.byteLength <= MAX_KEPT_HEAP

      return result
    } finally {
      if (!keep && current === starting) {
        current = undefined
      }
    }
  }
}
