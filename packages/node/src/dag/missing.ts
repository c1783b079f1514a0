/** Whether an error says that a block is not in the repo. */
export function isMissing (err: unknown): boolean {
  for (let at = err; at instanceof Error; at = at.cause) {
    if (at.name === 'NotFoundError') {
      return true
    }
  }

  return false
}
