import { mkdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CID } from 'multiformats/cid'
import { TreeEntryError } from '../errors.ts'
import { checkNothingThere } from './get-target.ts'
import { metadataOf, restoreMetadata } from './restore-metadata.ts'
import { keepFresh, removeTemporary, temporaryFor } from './temporary-files.ts'
import { namedByTarget, writeNew } from './write-file.ts'
import { checkSymlink, linkOf, writeSymlink } from './write-symlink.ts'
import type { Progress } from '../terminal/progress.ts'
import type { Metadata } from './restore-metadata.ts'
import type { SpillStack } from './spill-stack.ts'
import type { WriteLimits } from './write-limits.ts'
import type { DirectoryEntry, Ipfsz } from '@ipfsz/core'

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

/** A directory whose files have not been written yet. */
export interface WaitingDirectory {
  name: string
  cid: string
  metadata: Metadata
}

/** A symlink of a directory in which not all files and directories have been made yet. */
export interface WaitingSymlink {
  name: string
  link: Uint8Array
  metadata: Metadata
}

export interface WriteTreeOptions {
  files: Pick<Ipfsz, 'cat' | 'ls' | 'stat'>
  progress: Progress
  limits: WriteLimits
  /** Whether symlinks may lead out of the tree. */
  allowSymlinks: boolean
  /** Where entries wait for their turn, of which there may be millions. */
  waiting: { directories: SpillStack<WaitingDirectory>, symlinks: SpillStack<WaitingSymlink> }
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

  await checkNothingThere(target, 'a directory')

  const temporary = temporaryFor(target)
  const writer = new TreeWriter(options)
  const stopRefreshing = keepFresh(temporary)

  try {
    // nobody else sees what is not whole
    await mkdir(temporary, { mode: 0o700 }).catch((err: unknown) => { throw namedByTarget(err, target) })
    await writer.fill(temporary, root.cid, '')
    stopRefreshing()
    await restoreMetadata(temporary, metadataOf(root))
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
  readonly #options: WriteTreeOptions
  /** The directories from the root of the tree to the one that is being filled, with both. */
  readonly #above: Array<{ name: string, cid: CID }> = []

  constructor (options: WriteTreeOptions) {
    this.#options = options
  }

  /** Write what is in a directory: its files, then its directories, then its symlinks. */
  async fill (directory: string, cid: CID, name: string): Promise<void> {
    const { directories, symlinks } = this.#options.waiting
    const [firstDirectory, firstSymlink] = [directories.end, symlinks.end]

    this.#count('directories')
    this.#above.push({ name, cid })
    await this.#writeFiles(directory, cid)

    for await (const { name, cid, metadata } of directories.from(firstDirectory)) {
      const path = join(directory, name)
      await mkdir(path, { mode: 0o700 })
      await this.fill(path, CID.parse(cid), name)
      // only now: some cannot be written to any more
      await restoreMetadata(path, metadata)
    }

    for await (const { name, link, metadata } of symlinks.from(firstSymlink)) {
      this.#count('symlinks')
      await writeSymlink(join(directory, name), link, metadata)
    }

    directories.truncate(firstDirectory)
    symlinks.truncate(firstSymlink)
    this.#above.pop()
  }

  /** Write the files of a directory, and put what else is in it where it waits. */
  async #writeFiles (directory: string, cid: CID): Promise<void> {
    const { files, signal } = this.#options
    const writing = new Set<Promise<void>>()
    let failed: { reason: unknown } | undefined

    try {
      for await (const entry of files.ls(cid, { signal })) {
        checkName(directory, entry.name)

        if (!await this.#letWait(join(directory, entry.name), entry)) {
          const written: Promise<void> = this.#writeFile(join(directory, entry.name), entry)
            .catch((err: unknown) => { failed ??= { reason: err } })
            .finally(() => writing.delete(written))
          writing.add(written)
        }

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
  }

  /** Whether it is a directory or a symlink, whose turn comes after the files. */
  async #letWait (path: string, entry: DirectoryEntry): Promise<boolean> {
    const { directories, symlinks } = this.#options.waiting
    const { name, cid, type, unixfs } = entry

    if (type == null) {
      throw new TreeEntryError(path, `its block ${entry.plainCid} is not in this repo, or is no UnixFS`)
    }

    if (type === 'directory') {
      await directories.push({ name, cid: cid.toString(), metadata: metadataOf(entry) })
    } else if (unixfs?.type === 'symlink') {
      const link = linkOf(path, unixfs)
      await this.#checkSymlink(path, link)
      await symlinks.push({ name, link, metadata: metadataOf(entry) })
    } else {
      return false
    }

    return true
  }

  async #writeFile (path: string, entry: DirectoryEntry): Promise<void> {
    const { files, progress, signal } = this.#options

    this.#count('files')
    await writeNew(path, files.cat(entry.cid, { signal }), bytes => {
      progress.update(this.counts.size += bytes)
      this.#checkLimits()
    })
    await restoreMetadata(path, metadataOf(entry))
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

  async #checkSymlink (path: string, link: Uint8Array): Promise<void> {
    const { allowSymlinks, signal } = this.#options

    if (!allowSymlinks) {
      const names = this.#above.slice(1).map(({ name }) => name)
      await checkSymlink(path, link, names, async names => this.#isDirectory(names))
    }

    signal.throwIfAborted()
  }

  /** Whether the tree has a directory there, looked for from the nearest one that is known. */
  async #isDirectory (names: readonly string[]): Promise<boolean> {
    const { files, signal } = this.#options
    let known = 0

    while (known < names.length && this.#above[known + 1]?.name === names[known]) {
      known++
    }

    return files.stat(this.#above[known].cid, { path: names.slice(known).join('/'), signal })
      .then(({ type }) => type === 'directory', () => false)
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
