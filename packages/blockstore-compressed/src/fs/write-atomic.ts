import { link, lstat, mkdir, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { retryWhileOpen } from '@ipfsz/utils/while-open'
import { codeOf } from './code-of.ts'
import { syncFile } from './durable.ts'
import { closeFile, openFile, syncData, writeBytes } from './file-calls.ts'

type Content = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>
type MakeDirectory = NonNullable<WriteAtomicOptions['makeDirectory']>

/** What systems say when a file is to replace a directory. */
const IN_PLACE: ReadonlySet<unknown> = new Set(['EISDIR', 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES'])

export interface WriteAtomicOptions {
  /** Path of the temporary file: on the same file system, with a unique name. */
  temporary: string
  /** Whether to sync the bytes before the file gets its name. The name is on the disk once its directory is synced. */
  sync: boolean
  signal?: AbortSignal | null | undefined
  /**
   * Makes a missing directory, and those above it.
   *
   * @default `mkdir` with `recursive`
   */
  makeDirectory?: ((directory: string) => Promise<unknown>) | undefined
  /**
   * Whether the file takes the place of a directory, which only a damaged file system or a stranger can have made. That
   * is moved beside the temporary file if it holds something.
   *
   * @default false
   */
  replaceDirectory?: boolean | undefined
}

/**
 * Write a file, completely or not at all, even if other processes write it too. Creates
 * missing directories. Before it replaces an existing file it syncs the new one even with
 * `sync: false`: the existing file may be synced already, and others rely on it.
 */
export async function writeAtomic (
  file: string,
  content: Content,
  { temporary, sync, signal, makeDirectory = makeAll, replaceDirectory = false }: WriteAtomicOptions
): Promise<void> {
  const name = replaceDirectory ? replace : renameFile

  try {
    const opened = await inDirectory(temporary, makeDirectory, () => openFile(temporary, 'wx'))

    try {
      await writeContent(opened, content, signal)

      if (sync) {
        await syncData(opened)
      }
    } finally {
      await closeFile(opened)
    }

    await (sync
      ? inDirectory(file, makeDirectory, async () => name(temporary, file))
      : nameUnsynced(temporary, file, makeDirectory, name))
  } catch (err) {
    // the error that counts is the first one
    await rm(temporary, { force: true }).catch(() => {})
    throw err
  }
}

/** @throws the reason of the signal */
async function writeContent (file: number, content: Content, signal: AbortSignal | null | undefined): Promise<void> {
  // not `instanceof`: bytes of another realm are of another class
  for await (const bytes of ArrayBuffer.isView(content) ? [content] : content) {
    signal?.throwIfAborted()
    await writeBytes(file, bytes)
  }
}

async function nameUnsynced (
  temporary: string,
  file: string,
  makeDirectory: MakeDirectory,
  name: (temporary: string, file: string) => Promise<void>
): Promise<void> {
  try {
    await inDirectory(file, makeDirectory, async () => link(temporary, file))
  } catch {
    // the file exists, or the file system has no hard links
    await syncFile(temporary)
    await inDirectory(file, makeDirectory, async () => name(temporary, file))
    return
  }

  // `rm` would ask twice what it is
  await retryWhileOpen(async () => unlink(temporary))
}

async function renameFile (temporary: string, file: string): Promise<void> {
  await retryWhileOpen(async () => rename(temporary, file))
}

/** Give a file its name, in the place of a directory too. */
async function replace (temporary: string, file: string): Promise<void> {
  try {
    await renameFile(temporary, file)
  } catch (err) {
    if (!IN_PLACE.has(codeOf(err)) || !await isDirectory(file)) {
      throw err
    }

    const moved = `${temporary}.directory`

    await rename(file, moved)
    await rename(temporary, file)
    // fails if it holds something: that is not ours to delete
    await rmdir(moved).catch(() => {})
  }
}

async function isDirectory (path: string): Promise<boolean> {
  return lstat(path).then(stats => stats.isDirectory(), () => false)
}

/** Call `make`, which creates `file`, and create its directory if that is missing. */
async function inDirectory<T> (file: string, makeDirectory: MakeDirectory, make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (err) {
    if (codeOf(err) !== 'ENOENT') {
      throw err
    }

    await makeDirectory(dirname(file))

    return make()
  }
}

/** Make a directory, and those above it. */
export async function makeAll (directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
}
