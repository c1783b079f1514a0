import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Make the directory of a repo, where there is none, for its owner alone: nothing in it
 * is encrypted. One that is there keeps its mode, and those above have the usual one.
 */
export async function makeRepoDirectory (repo: string): Promise<void> {
  await mkdir(dirname(repo), { recursive: true })

  try {
    await mkdir(repo, { mode: 0o700 })
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw err
    }
  }
}
