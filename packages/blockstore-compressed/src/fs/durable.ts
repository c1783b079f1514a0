import { open } from 'node:fs/promises'
import { platform } from 'node:process'
import { codeOf } from './code-of.ts'
import type { FileHandle } from 'node:fs/promises'

/** How many files are handed to the disk at one time: it commits those that wait together. */
const CONCURRENCY = 32

/** Windows writes nothing back by a handle that may only read. */
const FLAGS = platform === 'win32' ? 'r+' : 'r'

/** What a system answers that does not sync directories, as Windows, or lets this user not open one. */
const NOT_SYNCED: ReadonlySet<unknown> = new Set(['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EPERM'])

/** Return when the bytes of a file are on the disk. One that is not there any more is none to keep. */
export async function syncFile (file: string): Promise<void> {
  await withHandle(file, FLAGS, async handle => handle.datasync())
}

/**
 * Return when the names in a directory are on the disk. Where the system has no way to
 * do that, they are there when it writes them.
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

/** Sync many, several at one time. */
export async function syncEach (paths: Iterable<string>, sync: (path: string) => Promise<void>): Promise<void> {
  // one iterator for all: each takes the next path
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
