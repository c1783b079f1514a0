/** Whether an error says that a block is not here. */
export function isMissing (err: unknown): boolean {
  return isOffline(err) || (err instanceof Error && err.name === 'NotFoundError')
}

/** Whether a blockstore says that a block is not here, and that it could fetch it. */
export function isOffline (err: unknown): boolean {
  return err instanceof Error && err.name === 'BlockNotFoundWhileOfflineError'
}
