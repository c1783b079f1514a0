import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from './code-of.ts'
import { syncFile } from './durable.ts'

type Content = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>

export interface WriteAtomicOptions {
  /** Where it is written first: in a directory of the same file system, under a name that nothing else has. */
  temporary: string
  /** Whether the bytes are on the disk before the file gets its name. The name is there when its directory is synced. */
  sync: boolean
  signal?: AbortSignal | null | undefined
}

/**
 * Write a file: whole under its name, or not at all, whoever else writes it. Directories
 * that are missing are made. A file that is not synced takes the place of none but after
 * a sync: the one that is there may be synced, and others told of it.
 */
export async function writeAtomic (file: string, content: Content, { temporary, sync, signal }: WriteAtomicOptions): Promise<void> {
  try {
    const handle = await inDirectory(temporary, async () => open(temporary, 'wx'))

    try {
      await handle.writeFile(content, { signal: signal ?? undefined })

      if (sync) {
        await handle.datasync()
      }
    } finally {
      await handle.close()
    }

    await (sync ? inDirectory(file, async () => rename(temporary, file)) : nameUnsynced(temporary, file))
  } catch (err) {
    await rm(temporary, { force: true })
    throw err
  }
}

async function nameUnsynced (temporary: string, file: string): Promise<void> {
  try {
    await inDirectory(file, async () => link(temporary, file))
  } catch {
    // there is a file, or the file system has no links
    await syncFile(temporary)
    await inDirectory(file, async () => rename(temporary, file))
    return
  }

  await rm(temporary)
}

/** Make something in a directory, and first the directory where it is missing. */
async function inDirectory<T> (file: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (err) {
    if (codeOf(err) !== 'ENOENT') {
      throw err
    }

    await mkdir(dirname(file), { recursive: true })

    return make()
  }
}
