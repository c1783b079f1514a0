/** Errors of stores that do not answer. A store that refuses, for example for lack of permission, is not away. */
const AWAY: ReadonlySet<string> = new Set(['S3NetworkError', 'StoreAwayError'])

/** Whether a failure says that a store in a bucket did not answer, or is overloaded. */
export function isStoreAway (err: unknown): boolean {
  for (let at = err; at instanceof Error; at = at.cause) {
    if (AWAY.has(at.name)) {
      return true
    }

    const { status } = at as { status?: unknown }

    if (at.name === 'S3ResponseError' && (status === 429 || Number(status) >= 500)) {
      return true
    }
  }

  return false
}
