import { join } from 'node:path'
import { TreeEntryError } from '../errors.ts'
import { openRegularFile } from '@ipfsz/utils/open-regular-file'
import { withPath } from './target-errors.ts'
import type { Identity } from './file-identity.ts'
import type { HeldDirectory } from './held-directory.ts'
import type { Mtime } from '@ipfsz/core'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** How many bytes of a file are read at once: 4 MiB, the size of a frame, so that pieces need not be joined. */
const READ_SIZE = 4 * 1024 * 1024
/** A file may grow while it is read. Those in /proc report a size of 0, and some give all in their first read only. */
const MIN_READ_SIZE = 64 * 1024

export interface Preserve {
  mode: boolean
  mtime: boolean
}

/** What is noticed while a file is read. */
export interface FileEvents {
  onRead (path: string, bytes: number): void
  /** Called if a file was written to while it was read, so that its bytes may be of several versions. */
  onChanged (path: string): void
  /** Called with what a file is like when all of it was read. */
  onEnd? (stats: BigIntStats): void
}

/** How many bytes to read at once: all of a small file, as each read allocates that much. */
export function readSize (stats: BigIntStats): number {
  return stats.isFile() ? Math.min(Math.max(Number(stats.size) + 1, MIN_READ_SIZE), READ_SIZE) : READ_SIZE
}

/** The mode and mtime of a file for UnixFS, if they are to be preserved. */
export function metadata (stats: BigIntStats, { mode, mtime }: Preserve): { mode?: number, mtime?: Mtime } {
  return {
    ...mode ? { mode: Number(stats.mode & 0o7777n) } : {},
    ...mtime ? { mtime: toMtime(stats.mtimeNs) } : {}
  }
}

/**
 * Whether a file was written to after it was examined, so that several reads may have given parts of several versions.
 * Smaller files are read at once, and those of /proc have no size.
 *
 * @param before - when it was examined
 * @param after - when all of it was read
 */
export function isTorn (before: Identity, after: Identity): boolean {
  const { size, ino, mtimeNs } = before

  // one that took its place meanwhile is not the one that was read
  return size >= READ_SIZE && after.ino === ino && (after.size !== size || after.mtimeNs !== mtimeNs)
}

/** Whether a file is executable, and will not be when it is read back. */
export function losesExecutableBit (stats: BigIntStats, { mode }: Preserve): boolean {
  return !mode && stats.isFile() && (stats.mode & 0o111n) !== 0n
}

/**
 * Rounds an mtime down to whole microseconds. Node sets file times as numbers, which cannot hold nanoseconds: with
 * them, a tree that was written to disk and added again would get another CID.
 */
function toMtime (nanoseconds: bigint): Mtime {
  const second = ((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n

  return { secs: (nanoseconds - second) / 1_000_000_000n, nsecs: Number(second / 1000n * 1000n) }
}

/**
 * Open a file of a directory that others may change. What is not a regular file any more is not waited for.
 *
 * @throws {TreeEntryError} it is something else
 */
export async function openRegular ({ path, shown }: HeldDirectory, name: string): Promise<FileHandle> {
  try {
    return await openRegularFile(`${path}/${name}`, { follow: false })
  } catch (err) {
    throw err instanceof Error && (!('code' in err) || err.code === 'ELOOP' || err.code === 'ENXIO')
      ? new TreeEntryError(join(shown, name), 'is no longer a file: another program replaced it', { cause: err })
      : err
  }
}

/**
 * The content of a file.
 *
 * @param path - what its events name
 * @param stats - when the file was examined: it may have another size now
 */
export async function * readContent (
  open: () => Promise<FileHandle>,
  path: string,
  stats: BigIntStats,
  { onRead, onChanged, onEnd }: FileEvents
): AsyncGenerator<Uint8Array> {
  const size = Number(stats.size)
  const handle = await open()

  try {
    // one byte more than expected, so that the last read also finds the end
    for (let left = size, isAtEnd = false; !isAtEnd;) {
      const buffer = Buffer.allocUnsafe(left > 0 ? Math.min(left + 1, READ_SIZE) : MIN_READ_SIZE)
      const { bytesRead } = await handle.read(buffer).catch((err: unknown) => { throw withPath(err, path) })
      left -= bytesRead
      // those in /proc give less than is asked for before their end too
      isAtEnd = bytesRead === 0 || (size > 0 && bytesRead < buffer.byteLength && left <= 0)

      if (bytesRead > 0) {
        onRead(path, bytesRead)
        yield buffer.subarray(0, bytesRead)
      }
    }

    const after = await handle.stat({ bigint: true })
    onEnd?.(after)

    if (isTorn(stats, after)) {
      onChanged(path)
    }
  } finally {
    await handle.close()
  }
}
