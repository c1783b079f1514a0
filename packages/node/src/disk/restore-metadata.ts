import { fchmodSync, futimesSync } from 'node:fs'
import { chmod, lutimes, utimes } from 'node:fs/promises'
import { platform } from 'node:process'
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

let umask: number | undefined

/**
 * The umask of this process. Read once, before threads write files: to read it, Node sets it to 0 for a moment, and
 * everybody may read what another thread creates meanwhile.
 */
export function readUmask (): number {
  return umask ??= process.umask()
}

/** Set the mode and mtime of a file that is being written. */
export async function restoreFile (file: FileHandle, metadata: Metadata): Promise<void> {
  const mode = fileMode(metadata)
  const time = timeOf(metadata)

  await (mode == null ? undefined : file.chmod(mode))
  await (time == null ? undefined : file.utimes(time, time))
}

/** The same, at once. */
export function restoreFileSync (fd: number, metadata: Metadata): void {
  const mode = fileMode(metadata)
  const time = timeOf(metadata)

  if (mode != null) {
    fchmodSync(fd, mode)
  }

  if (time != null) {
    futimesSync(fd, time, time)
  }
}

/**
 * The mode to set on a file that was created with `modeToCreate`. Undefined: it has its mode, or the system has none.
 * Windows would make a file read-only that its owner may not write, and then neither rename over it nor delete it.
 *
 * @param system - as `process.platform`
 */
export function fileMode ({ mode }: Metadata, system: string = platform): number | undefined {
  return mode == null || mode === DEFAULT_FILE_MODE || system === 'win32' ? undefined : mode & MODE_MASK
}

/** Set the mode and mtime of a directory that was written. */
export async function restoreDirectory ({ path }: HeldDirectory, { mode, mtime }: Metadata): Promise<void> {
  await chmod(path, mode == null || mode === DEFAULT_DIRECTORY_MODE
    ? DEFAULT_DIRECTORY_MODE & ~readUmask()
    : mode & MODE_MASK)
  const time = timeOf({ mtime })
  await (time == null ? undefined : utimes(path, time, time))
}

/** Set the mtime of a symlink that was written. Its mode has no meaning. */
export async function restoreSymlink (path: string, metadata: Metadata): Promise<void> {
  const time = timeOf(metadata)
  await (time == null ? undefined : lutimes(path, time, time))
}

/** The mtime to set, in seconds. As text: Node replaces negative numbers by the current time. */
function timeOf ({ mtime }: Pick<Metadata, 'mtime'>): string | undefined {
  const seconds = mtime == null ? Infinity : toSeconds(mtime)

  return Math.abs(seconds) <= MAX_SECONDS ? String(seconds) : undefined
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
