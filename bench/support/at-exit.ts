/** Exit codes after a signal, as shells report them: 128 plus the signal's number. */
const ENDED = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Call back when this process ends before its work is done, even if it is interrupted:
 * otherwise its child processes would go on, and gigabytes of files would stay. The last
 * callback runs first.
 *
 * @returns a function that removes the callback
 */
export function atExit (clean: () => void): () => void {
  process.prependListener('exit', clean)
  process.on('SIGINT', end)
  process.on('SIGTERM', end)

  return () => {
    process.off('exit', clean)
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
  }
}

function end (signal: keyof typeof ENDED): void {
  process.exit(ENDED[signal])
}
