import { chmod, lutimes } from 'node:fs/promises'
import type { DirectoryEntry, Mtime } from '@ipfsz/core'

/** What is set of a file, a directory or a symlink besides its content. */
export interface Metadata {
  type: 'file' | 'directory' | 'symlink'
  mode?: number | undefined
  mtime?: Mtime | undefined
}

/** What a UnixFS without a mode is taken to have: whoever writes it may have less, by their umask. */
const DEFAULT_FILE_MODE = 0o644
const DEFAULT_DIRECTORY_MODE = 0o755

/** No setuid, setgid or sticky from whoever made the CID. */
const MODE_MASK = 0o777

/** Farther from 1970 no date of JavaScript is, in seconds. */
const MAX_SECONDS = 8.64e12

/** The mode to make a file with. */
export const NEW_FILE_MODE = DEFAULT_FILE_MODE

/** The metadata of an entry, without what else the entry holds. */
export function metadataOf ({ unixfs, mtime }: Pick<DirectoryEntry, 'unixfs' | 'mtime'>): Metadata {
  const type = unixfs?.isDirectory() === true ? 'directory' : unixfs?.type === 'symlink' ? 'symlink' : 'file'

  return { type, mode: unixfs?.mode, mtime }
}

/** Give a file or directory that was written its mode and mtime. Of symlinks only the mtime counts. */
export async function restoreMetadata (path: string, { type, mode, mtime }: Metadata): Promise<void> {
  const directory = type === 'directory'
  const usual = directory ? DEFAULT_DIRECTORY_MODE : DEFAULT_FILE_MODE

  if (type !== 'symlink' && (directory || (mode != null && mode !== usual))) {
    await chmod(path, mode == null || mode === usual ? usual & ~process.umask() : mode & MODE_MASK)
  }

  if (mtime != null) {
    const seconds = toSeconds(mtime)

    if (Math.abs(seconds) <= MAX_SECONDS) {
      // as text: Node takes a number below 0 for now
      await lutimes(path, String(seconds), String(seconds))
    }
  }
}

/**
 * The seconds as a number, which has room for a quarter of a microsecond: the next one
 * that is not before the time, so that it is in the same microsecond.
 */
function toSeconds ({ secs, nsecs = 0 }: NonNullable<Metadata['mtime']>): number {
  const seconds = Number(secs) + nsecs / 1e9
  const written = Math.floor((seconds - Math.floor(seconds)) * 1e9)

  return written < nsecs ? seconds + Math.abs(seconds) * Number.EPSILON : seconds
}
