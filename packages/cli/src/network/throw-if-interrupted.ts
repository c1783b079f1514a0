/** Why a peer cannot be connected to when its time is up. */
export const NO_ANSWER = 'it did not answer in time'

/** Pass on an abort, unless it is only that a time is up: what was not done by then says more. */
export function throwUnlessTimedOut (signal: AbortSignal): void {
  if (signal.aborted && !(signal.reason instanceof Error && signal.reason.name === 'TimeoutError')) {
    throw signal.reason
  }
}
