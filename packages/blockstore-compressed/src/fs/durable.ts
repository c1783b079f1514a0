import { open } from 'node:fs/promises'
import { platform } from 'node:process'
import { codeOf } from './code-of.ts'
import type { FileHandle } from 'node:fs/promises'

/** How many files to sync at a time: the disk commits those that wait together. */
const CONCURRENCY = 32

/** Windows can sync a file only through a handle that may write. */
const FLAGS = platform === 'win32' ? 'r+' : 'r'

/** Error codes of systems that cannot sync directories, such as Windows, and of directories that may not be opened. */
const NOT_SYNCED: ReadonlySet<unknown> = new Set(['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EPERM'])

/** Resolves when the bytes of a file are on the disk, or the file does not exist. */
export async function syncFile (file: string): Promise<void> {
  await withHandle(file, FLAGS, async handle => handle.datasync())
}

/**
 * Resolves when the names in a directory are on the disk. On systems that cannot sync
 * directories it resolves at once, and the system writes the names when it likes.
 */
export async function syncDirectory (directory: string): Promise<void> {
  try {
    await withHandle(directory, 'r', async handle => handle.sync())
  } catch (err) {
    if (!NOT_SYNCED.has(codeOf(err))) {
      throw err
    }
  }
}

/** Call `sync` with each path, 32 at a time. */
export async function syncEach (paths: Iterable<string>, sync: (path: string) => Promise<void>): Promise<void> {
  // all workers take paths from one iterator
  const rest = Array.from(paths).values()

  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    for (const path of rest) {
      await sync(path)
    }
  }))
}

async function withHandle (path: string, flags: string, work: (handle: FileHandle) => Promise<void>): Promise<void> {
  let handle: FileHandle

  try {
    handle = await open(path, flags)
  } catch (err) {
    if (codeOf(err) === 'ENOENT') {
      return
    }

    throw err
  }

  try {
    await work(handle)
  } finally {
    await handle.close()
  }
}
