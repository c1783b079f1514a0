/** A worker as the pool sees it, the same for Web Workers and Node's worker_threads. */
export interface Thread {
  onMessage: (message: unknown) => void
  /** Called where it could not start, threw, or ended by itself. */
  onFailure: (err: unknown) => void

  post (message: unknown, transfer: ArrayBufferLike[]): void
  end (): void

  /** It has something to do: a process does not end before it has answered. */
  keep (): void
  /** It has nothing to do: it keeps no process alive, and neither does the timer. */
  release (timer: unknown): void
}
