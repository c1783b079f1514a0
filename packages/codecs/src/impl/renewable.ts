/** A heap that grew to more than this is let go after the call, in bytes. Frames of 4 MiB need less. */
const MAX_KEPT_HEAP = 32 * 1024 * 1024

/** An instance of a WebAssembly module, with what calls it. */
export interface Instance {
  readonly memory: WebAssembly.Memory
}

/**
 * Calls on an instance that is replaced after a call that failed, and after one that
 * needed much memory: a heap never shrinks, and what a frame that is not right has
 * left in it is nobody's any more. Starting an instance takes less than a millisecond.
 */
export function renewable<T extends Instance> (start: () => Promise<T>): <R>(call: (instance: T) => R | Promise<R>) => Promise<R> {
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
