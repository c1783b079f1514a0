import { lstat, mkdir, rename, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { TreeEntryError } from './errors.ts'
import { restoreMetadata } from './restore-metadata.ts'
import { leadsOut } from './symlink-target.ts'
import { keepFresh, removeTemporary, temporaryFor } from './temporary-files.ts'
import { namedByTarget, writeNew } from './write-file.ts'
import type { Progress } from './progress.ts'
import type { WriteLimits } from './write-limits.ts'
import type { DirectoryEntry, Ipfsz } from '@ipfsz/core'
import type { CID } from 'multiformats/cid'

/** How many files of a directory are written at one time. */
const CONCURRENCY = 8

/** What was written. */
export interface TreeCounts {
  files: number
  directories: number
  symlinks: number
  size: number
}

/** The directory to write. */
export interface TreeRoot extends Pick<DirectoryEntry, 'unixfs' | 'mtime'> {
  /** What it is read by. */
  cid: CID
}

export interface WriteTreeOptions {
  files: Pick<Ipfsz, 'cat' | 'ls' | 'stat'>
  progress: Progress
  limits: WriteLimits
  /** Whether symlinks may lead out of the tree. */
  allowSymlinks: boolean
  signal: AbortSignal
}

/**
 * Write a tree to disk: whole under its name, or not at all.
 *
 * Every directory is new, and all files and directories in it are made before its
 * symlinks, none of them where something is already. So nothing is written through a
 * symlink, whether it is from the tree or was put there meanwhile.
 *
 * @throws {TreeEntryError} an entry cannot be written under its name, or is a symlink
 *   that leads out of the tree
 * @throws {OutputTooLargeError} there is more than the limits allow
 */
export async function writeTree (target: string, root: TreeRoot, options: WriteTreeOptions): Promise<TreeCounts> {
  const { progress, signal } = options

  await checkNothingThere(target, 'a tree')

  const temporary = temporaryFor(target)
  const writer = new TreeWriter(root, options)
  const stopRefreshing = keepFresh(temporary)

  try {
    // nobody else sees what is not whole
    await mkdir(temporary, { mode: 0o700 }).catch((err: unknown) => { throw namedByTarget(err, target) })
    await writer.fill(temporary, root, [])
    stopRefreshing()
    await restoreMetadata(temporary, root)
    await rename(temporary, target)
  } catch (err) {
    await removeTemporary(temporary)
    throw signal.aborted ? signal.reason : renamed(err, temporary, target)
  } finally {
    stopRefreshing()
    progress.end()
  }

  return writer.counts
}

class TreeWriter {
  readonly counts: TreeCounts = { files: 0, directories: 0, symlinks: 0, size: 0 }
  readonly #root: TreeRoot
  readonly #options: WriteTreeOptions

  constructor (root: TreeRoot, options: WriteTreeOptions) {
    this.#root = root
    this.#options = options
  }

  /**
   * Write what is in a directory.
   *
   * @param names - the directories from the root of the tree to this one, with it
   */
  async fill (directory: string, root: TreeRoot, names: readonly string[]): Promise<void> {
    const { files, signal } = this.#options
    const writing = new Set<Promise<void>>()
    const later: DirectoryEntry[] = []
    let failed: { reason: unknown } | undefined

    this.#count('directories')

    try {
      for await (const entry of files.ls(root.cid, { signal })) {
        checkName(directory, entry.name)

        if (entry.type == null) {
          throw new TreeEntryError(join(directory, entry.name), `its block ${entry.plainCid} is not in this repo, or is no UnixFS`)
        }

        if (entry.unixfs?.type === 'symlink') {
          await this.#checkSymlink(join(directory, entry.name), entry, names)
        }

        if (entry.type === 'directory' || entry.unixfs?.type === 'symlink') {
          later.push(entry)
          continue
        }

        const written: Promise<void> = this.#writeFile(join(directory, entry.name), entry)
          .catch((err: unknown) => { failed ??= { reason: err } })
          .finally(() => writing.delete(written))
        writing.add(written)

        if (writing.size >= CONCURRENCY) {
          await Promise.race(writing)
        }

        if (failed != null) {
          break
        }
      }
    } finally {
      // nothing is written any more when this has failed
      await Promise.all(writing)
    }

    if (failed != null) {
      throw failed.reason
    }

    await this.#fillLater(directory, later, names)
  }

  async #fillLater (directory: string, entries: DirectoryEntry[], names: readonly string[]): Promise<void> {
    for (const entry of entries.filter(({ type }) => type === 'directory')) {
      const path = join(directory, entry.name)
      await mkdir(path, { mode: 0o700 })
      await this.fill(path, entry, [...names, entry.name])
      // only now: some cannot be written to any more
      await restoreMetadata(path, entry)
    }

    for (const entry of entries.filter(({ type }) => type !== 'directory')) {
      this.#count('symlinks')
      await writeSymlink(join(directory, entry.name), entry)
    }
  }

  async #writeFile (path: string, entry: DirectoryEntry): Promise<void> {
    const { files, progress, signal } = this.#options

    this.#count('files')
    await writeNew(path, files.cat(entry.cid, { signal }), bytes => {
      progress.update(this.counts.size += bytes)
      this.#checkLimits()
    })
    await restoreMetadata(path, entry)
  }

  #count (what: 'files' | 'directories' | 'symlinks'): void {
    this.counts[what]++
    this.#checkLimits()
  }

  /** What the blocks have told of sizes before need not be true. */
  #checkLimits (): void {
    const { files, directories, symlinks, size } = this.counts

    this.#options.limits.check({ size, entries: files + directories + symlinks })
  }

  async #checkSymlink (path: string, entry: DirectoryEntry, names: readonly string[]): Promise<void> {
    const { allowSymlinks, files, signal } = this.#options
    const isDirectory = async (names: readonly string[]): Promise<boolean> => files.stat(this.#root.cid, { path: names.join('/'), signal })
      .then(({ type }) => type === 'directory', () => false)

    if (!allowSymlinks) {
      await checkSymlink(path, entry, names, isDirectory)
    }

    signal.throwIfAborted()
  }
}

/**
 * @throws {TreeEntryError} the symlink leads out of the tree that it is in
 */
export async function checkSymlink (path: string, { unixfs }: Pick<DirectoryEntry, 'unixfs'>, names: readonly string[], isDirectory: Parameters<typeof leadsOut>[2]): Promise<void> {
  const link = Buffer.from(unixfs?.data ?? []).toString()

  if (await leadsOut(link, names, isDirectory)) {
    throw new TreeEntryError(path, `is a symlink that leads out of what is written, to ${link}: if that is meant, allow it with --allow-symlinks`)
  }
}

/** Write a symlink that is not there, wherever it leads. */
export async function writeSymlink (path: string, entry: Pick<DirectoryEntry, 'unixfs' | 'mtime'>): Promise<void> {
  const link = Buffer.from(entry.unixfs?.data ?? [])

  if (link.byteLength === 0 || link.includes(0)) {
    throw new TreeEntryError(path, 'is a symlink that leads to no path')
  }

  await symlink(link, path)
  await restoreMetadata(path, entry)
}

/**
 * @throws {TreeEntryError} there is anything, also a symlink to nowhere
 */
export async function checkNothingThere (path: string, what: string): Promise<void> {
  if (await lstat(path).then(() => true, () => false)) {
    throw new TreeEntryError(path, `is there already, and ${what} is written only where nothing is`)
  }
}

/** What @ipfsz/core refuses is refused here too, and what it cannot know of: the system's own separators. */
function checkName (directory: string, name: string): void {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name) || basename(name) !== name) {
    throw new TreeEntryError(join(directory, 'entry'), `its name ${JSON.stringify(name)} would lead out of the directory`)
  }
}

/** The temporary name says nothing to whoever asked for the other. */
function renamed (err: unknown, temporary: string, target: string): unknown {
  if (err instanceof TreeEntryError) {
    return new TreeEntryError(err.path.replace(temporary, target), err.message.slice(err.path.length + 2), { cause: err })
  }

  return err instanceof Error && 'path' in err && typeof err.path === 'string'
    ? Object.assign(err, { path: err.path.replace(temporary, target) })
    : err
}
