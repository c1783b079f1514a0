import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Create the directory of a repo if it does not exist. Only its owner may enter it, as nothing in it is encrypted. An
 * existing directory keeps its mode, and new parent directories get the default mode.
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
