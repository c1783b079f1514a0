import { chmod, lutimes } from 'node:fs/promises'
import type { DirectoryEntry, ImportResult, Mtime } from '@ipfsz/core'

export type EntryType = 'file' | 'directory' | 'symlink'

/** The mode and mtime to set on a written file, directory or symlink. */
export interface Metadata {
  type: EntryType
  mode?: number | undefined
  mtime?: Mtime | undefined
}

/** The modes of UnixFS nodes that name none. The umask of this process applies to them. */
const DEFAULT_FILE_MODE = 0o644
const DEFAULT_DIRECTORY_MODE = 0o755

/** Removes setuid, setgid and sticky bits, which a stranger may have set. */
const MODE_MASK = 0o777

/** The seconds from 1970 to the last, or first, date that JavaScript can hold. */
const MAX_SECONDS = 8.64e12

/** The mode to create files with. */
export const NEW_FILE_MODE = DEFAULT_FILE_MODE

/** The metadata of a directory entry. */
export function metadataOf ({ unixfs, mtime }: Pick<DirectoryEntry, 'unixfs' | 'mtime'>): Metadata {
  return { type: entryType(unixfs), mode: unixfs?.mode, mtime }
}

/** @param unixfs - undefined for a raw block, which is a file */
export function entryType (unixfs: ImportResult['unixfs']): EntryType {
  if (unixfs?.isDirectory() === true) {
    return 'directory'
  }

  return unixfs?.type === 'symlink' ? 'symlink' : 'file'
}

/** Set the mode and mtime of a written file or directory. Symlinks only get the mtime. */
export async function restoreMetadata (path: string, { type, mode, mtime }: Metadata): Promise<void> {
  const directory = type === 'directory'
  const usual = directory ? DEFAULT_DIRECTORY_MODE : DEFAULT_FILE_MODE

  if (type !== 'symlink' && (directory || (mode != null && mode !== usual))) {
    await chmod(path, mode == null || mode === usual ? usual & ~process.umask() : mode & MODE_MASK)
  }

  if (mtime != null) {
    const seconds = toSeconds(mtime)

    if (Math.abs(seconds) <= MAX_SECONDS) {
      // as text: Node replaces negative numbers by the current time
      await lutimes(path, String(seconds), String(seconds))
    }
  }
}

/**
 * The time in seconds as a number, which is exact to a quarter of a microsecond. Rounded up, so that the microsecond
 * stays the same.
 */
function toSeconds ({ secs, nsecs = 0 }: NonNullable<Metadata['mtime']>): number {
  const seconds = Number(secs) + nsecs / 1e9
  const written = Math.floor((seconds - Math.floor(seconds)) * 1e9)

  return written < nsecs ? seconds + Math.abs(seconds) * Number.EPSILON : seconds
}
