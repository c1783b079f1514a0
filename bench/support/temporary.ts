import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a shell says of a process that a signal has ended: 128 and the signal's number. */
const ENDED = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Do something with an empty directory, and remove it with all that is in it: at the end,
 * and where the process is interrupted, as gigabytes would stay otherwise.
 */
export async function withDirectory<T> (use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'ipfsz-bench-'))
  // processes that are ended at the same time may still write
  const remove = (): void => { rmSync(directory, { recursive: true, force: true, maxRetries: 10 }) }

  process.on('exit', remove)
  process.on('SIGINT', end)
  process.on('SIGTERM', end)

  try {
    return await use(directory)
  } finally {
    process.off('exit', remove)
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
    remove()
  }
}

function end (signal: keyof typeof ENDED): void {
  process.exit(ENDED[signal])
}
