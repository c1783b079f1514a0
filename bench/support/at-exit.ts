/** What a shell says of a process that a signal has ended: 128 and the signal's number. */
const ENDED = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Call back when this process ends before its work does, also where it is interrupted:
 * processes that it started would go on, and gigabytes would stay. The last thing that
 * was begun is ended first.
 *
 * @returns what takes it back
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
