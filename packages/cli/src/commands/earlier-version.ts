import { InvalidBaseError } from '@ipfsz/core'
import type { CidPath } from '../terminal/cid-path.ts'
import type { BaseOf, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/**
 * The earlier version of each file that is added: of a single file what `--base` names, and of a file in a
 * directory what has the same path there.
 *
 * @throws {InvalidBaseError} a directory is needed and it is a file, or the other way round
 */
export async function earlierVersion (
  { cid, path }: Pick<CidPath, 'cid' | 'path'>,
  isDirectory: boolean,
  files: Pick<Ipfsz, 'stat'>,
  signal: AbortSignal
): Promise<CID | BaseOf> {
  const { type, plainCid } = await files.stat(cid, { path, signal })

  if ((type === 'directory') !== isDirectory) {
    throw new InvalidBaseError(
      cid,
      isDirectory ? 'it is a file, and a directory is added: name its earlier version' : 'it is not a file'
    )
  }

  if (!isDirectory) {
    return plainCid
  }

  return async (entry = '') => {
    try {
      // the first name of an added path stands for the directory itself
      const names = [...path.split('/'), ...entry.split('/').slice(1)].filter(Boolean)
      const found = await files.stat(cid, { path: names.join('/'), signal })

      return found.type === 'directory' ? undefined : found.plainCid
    } catch (err) {
      if (isNoEntry(err)) {
        // the file is new
        return undefined
      }

      throw err
    }
  }
}

/** Whether a directory has no such entry. A missing block has a CID. */
function isNoEntry (err: unknown): boolean {
  return err instanceof Error && ['NotFoundError', 'NotADirectoryError'].includes(err.name) && !('cid' in err)
}
