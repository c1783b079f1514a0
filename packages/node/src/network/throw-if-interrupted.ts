/** Throws the reason of an abort, except a timeout: the caller has a better error for that. */
export function throwIfInterrupted (signal: AbortSignal): void {
  if (signal.aborted && !(signal.reason instanceof Error && signal.reason.name === 'TimeoutError')) {
    throw signal.reason
  }
}
