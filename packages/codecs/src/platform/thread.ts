/** The interface of a worker to the pool, for Web Workers and Node's worker_threads. */
export interface Thread {
  onMessage: (message: unknown) => void
  /** Called if the worker cannot start, throws, or ends by itself. */
  onFailure: (err: unknown) => void

  post (message: unknown, transfer: ArrayBufferLike[]): void
  end (): void

  /** Called when the worker gets a call: from now on it keeps the process alive. */
  keep (): void
  /** Called when the worker is idle: neither it nor the timer keeps the process alive. */
  release (timer: unknown): void
}
