import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Create the directory of a repo if it does not exist. Only its owner may enter it, as nothing in it is encrypted. An
 * existing directory keeps its mode, and new parent directories get the default mode.
 */
export async function makeRepoDirectory (repo: string): Promise<void> {
  await makeDirectory(repo, 0o700)
}

/** Not with `recursive`: below `/proc`, where nothing can be made, Node would try again for ever. */
async function makeDirectory (path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (err) {
    const { code } = err as NodeJS.ErrnoException

    if (code === 'EEXIST') {
      return
    }

    if (code !== 'ENOENT' || dirname(path) === path) {
      throw err
    }

    await makeDirectory(dirname(path))
    await mkdir(path, { mode }).catch((err: NodeJS.ErrnoException) => {
      // another process has made it meanwhile
      if (err.code !== 'EEXIST') {
        throw err
      }
    })
  }
}
