import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atExit } from './at-exit.ts'

/** Use an empty directory, then remove it with its contents. An interrupted process removes it too. */
export async function withDirectory<T> (use: (directory: string) => Promise<T>): Promise<T> {
  return withRemoved(await mkdtemp(join(tmpdir(), 'ipfsz-bench-')), use)
}

/** Use an existing directory, then remove it in the same way. */
export async function withRemoved<T> (directory: string, use: (directory: string) => Promise<T>): Promise<T> {
  // processes that are being killed may still write
  const remove = (): void => { rmSync(directory, { recursive: true, force: true, maxRetries: 10 }) }
  const stay = atExit(remove)

  try {
    return await use(directory)
  } finally {
    stay()
    remove()
  }
}
