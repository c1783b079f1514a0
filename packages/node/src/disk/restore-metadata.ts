import { chmod, lutimes, utimes } from 'node:fs/promises'
import type { HeldDirectory } from './held-directory.ts'
import type { DirectoryEntry, ImportResult, Mtime } from '@ipfsz/core'
import type { FileHandle } from 'node:fs/promises'

export type EntryType = 'file' | 'directory' | 'symlink'

/** The mode and mtime to set on a written file, directory or symlink. */
export interface Metadata {
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
  return { mode: unixfs?.mode, mtime }
}

/** @param unixfs - undefined for a raw block, which is a file */
export function entryType (unixfs: ImportResult['unixfs']): EntryType {
  if (unixfs?.isDirectory() === true) {
    return 'directory'
  }

  return unixfs?.type === 'symlink' ? 'symlink' : 'file'
}

/** The mode to create a file with. If it gets its own mode later, only its owner may read it until it is complete. */
export function modeToCreate ({ mode }: Metadata, usual: number): number {
  return mode == null || mode === DEFAULT_FILE_MODE ? usual : 0o600
}

/** Set the mode and mtime of a file that is being written. */
export async function restoreFile (file: FileHandle, metadata: Metadata): Promise<void> {
  if (metadata.mode != null && metadata.mode !== DEFAULT_FILE_MODE) {
    await file.chmod(metadata.mode & MODE_MASK)
  }

  await withTime(metadata, async time => file.utimes(time, time))
}

/** Set the mode and mtime of a directory that was written. */
export async function restoreDirectory ({ path }: HeldDirectory, { mode, mtime }: Metadata): Promise<void> {
  await chmod(path, mode == null || mode === DEFAULT_DIRECTORY_MODE
    ? DEFAULT_DIRECTORY_MODE & ~process.umask()
    : mode & MODE_MASK)
  await withTime({ mtime }, async time => utimes(path, time, time))
}

/** Set the mtime of a symlink that was written. Its mode has no meaning. */
export async function restoreSymlink (path: string, { mtime }: Metadata): Promise<void> {
  await withTime({ mtime }, async time => lutimes(path, time, time))
}

/** @param set - takes seconds as text: Node replaces negative numbers by the current time */
async function withTime (
  { mtime }: Pick<Metadata, 'mtime'>,
  set: (time: string) => Promise<void>
): Promise<void> {
  const seconds = mtime == null ? Infinity : toSeconds(mtime)

  if (Math.abs(seconds) <= MAX_SECONDS) {
    await set(String(seconds))
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
