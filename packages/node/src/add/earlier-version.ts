import { lstat } from 'node:fs/promises'
import { InvalidBaseError } from '@ipfsz/core'
import { RenamedFiles } from '../dag/renamed-files.ts'
import type { CidPath } from '../dag/cid-path.ts'
import type { BaseOf, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/**
 * With `renews`, a file is stored whole again once what its last version added is more than this share of its base:
 * every version refers back to the first one, and has less and less in common with it.
 */
const MAX_CHANGED_SHARE = 0.5

export interface EarlierVersionOptions {
  /** Of a directory: where an entry of it is on this machine. */
  pathOf?: ((entry: string) => string) | undefined
  /** Whether a file that has little left in common with its base gets no base. */
  renews: boolean
  /** Called with each file that becomes a base, before it is read for that. */
  check: (base: CID) => Promise<void>
}

/**
 * The earlier version of each file that is added: of a single file what `base` names, and of a file in a
 * directory what has the same path there. Of a file that has a new path, one with similar content that is gone.
 *
 * @throws {InvalidBaseError} a directory is needed and it is a file, or the other way round
 */
export async function earlierVersion (
  { cid, path }: Pick<CidPath, 'cid' | 'path'>,
  { pathOf, renews, check }: EarlierVersionOptions,
  files: Pick<Ipfsz, 'cat' | 'ls' | 'stat'>,
  signal: AbortSignal
): Promise<CID | BaseOf | undefined> {
  const stats = await files.stat(cid, { path, signal })

  if ((stats.type === 'directory') !== (pathOf != null)) {
    const reason = pathOf == null ? 'it is not a file' : 'it is a file, but a directory is added'

    throw new InvalidBaseError(
      cid,
      `${reason}: ${renews ? 'add it under another name' : 'use an earlier version of the added file or directory'}`
    )
  }

  const checked = async (base: CID | undefined): Promise<CID | undefined> => {
    if (base != null) {
      await check(base)
    }

    return base
  }

  if (pathOf == null) {
    return checked(renews && isOutdated(stats) ? undefined : stats.plainCid)
  }

  const renamed = new RenamedFiles({ files, cid, path, isGone: async entry => isMissing(pathOf(entry)), signal })

  return async (entry = '', start) => {
    try {
      // the first name of an added path stands for the directory itself
      const names = [...path.split('/'), ...entry.split('/').slice(1)].filter(Boolean)
      const found = await files.stat(cid, { path: names.join('/'), signal })

      return await checked(found.type === 'directory' || (renews && isOutdated(found)) ? undefined : found.plainCid)
    } catch (err) {
      if (isNoEntry(err)) {
        // the file is new, or has a new name
        return checked(await renamed.find(start))
      }

      throw err
    }
  }
}

/** Whether there is nothing at a path of this machine. What cannot be told counts as there. */
async function isMissing (path: string): Promise<boolean> {
  return lstat(path).then(() => false, (err: unknown) =>
    ['ENOENT', 'ENOTDIR'].includes((err as NodeJS.ErrnoException).code ?? ''))
}

/** Whether a version has little in common with its base. */
function isOutdated ({ storedSize, baseSize }: { storedSize?: bigint, baseSize?: bigint }): boolean {
  return storedSize != null && baseSize != null &&
    Number(storedSize) > MAX_CHANGED_SHARE * Number(baseSize)
}

/** Whether a directory has no such entry. A missing block has a CID. */
function isNoEntry (err: unknown): boolean {
  return err instanceof Error && ['NotFoundError', 'NotADirectoryError'].includes(err.name) && !('cid' in err)
}
