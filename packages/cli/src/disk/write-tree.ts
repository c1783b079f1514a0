import { mkdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CID } from 'multiformats/cid'
import { TreeEntryError } from '../errors.ts'
import { checkNothingThere } from './get-target.ts'
import { metadataOf, restoreMetadata } from './restore-metadata.ts'
import { withTargetDirectory, withTargetPath } from './target-errors.ts'
import { keepFresh, removeTemporary, temporaryFor } from './temporary-files.ts'
import { writeNew } from './write-file.ts'
import { checkSymlink, linkOf, writeSymlink } from './write-symlink.ts'
import type { Progress } from '../terminal/progress.ts'
import type { Metadata } from './restore-metadata.ts'
import type { SpillStack } from './spill-stack.ts'
import type { WriteLimits } from './write-limits.ts'
import type { DirectoryEntry, Ipfsz } from '@ipfsz/core'

/** How many files of a directory are written at once. */
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
  /** The CID to read it by, marked or plain. */
  cid: CID
}

/** A directory that is not created yet. */
export interface WaitingDirectory {
  name: string
  cid: string
  metadata: Metadata
}

/** A symlink that is not created yet: files and directories beside it come first. */
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
  /** Hold the entries that are not written yet, perhaps millions. */
  waiting: { directories: SpillStack<WaitingDirectory>, symlinks: SpillStack<WaitingSymlink> }
  signal: AbortSignal
}

/**
 * Write a whole tree to disk under its name, or nothing.
 *
 * Every directory is new. Its files and subdirectories are created before its symlinks, and nothing replaces an
 * existing entry. So nothing is written through a symlink, neither one of the tree nor one that another program creates
 * meanwhile.
 *
 * @throws {TreeEntryError} an entry cannot be written under its name, or is a symlink that leads out of the tree
 * @throws {OutputTooLargeError} the tree is larger than the limits allow
 */
export async function writeTree (target: string, root: TreeRoot, options: WriteTreeOptions): Promise<TreeCounts> {
  const { progress, signal } = options

  await checkNothingThere(target, 'a directory')

  const temporary = temporaryFor(target)
  const writer = new TreeWriter(options)
  const stopRefreshing = keepFresh(temporary)

  try {
    // other users cannot see the unfinished tree
    await mkdir(temporary, { mode: 0o700 }).catch((err: unknown) => { throw withTargetDirectory(err, target) })
    await writer.fill(temporary, root.cid, '')
    stopRefreshing()
    await restoreMetadata(temporary, metadataOf(root))
    await rename(temporary, target)
  } catch (err) {
    await removeTemporary(temporary)
    throw signal.aborted ? signal.reason : withTargetPath(err, temporary, target)
  } finally {
    stopRefreshing()
    progress.end()
  }

  return writer.counts
}

class TreeWriter {
  readonly counts: TreeCounts = { files: 0, directories: 0, symlinks: 0, size: 0 }
  readonly #options: WriteTreeOptions
  /** The directories from the root of the tree to the one being filled, including both. */
  readonly #path: Array<{ name: string, cid: CID }> = []

  constructor (options: WriteTreeOptions) {
    this.#options = options
  }

  /** Write the entries of a directory: its files, then its directories, then its symlinks. */
  async fill (directory: string, cid: CID, name: string): Promise<void> {
    const { directories, symlinks } = this.#options.waiting
    const [firstDirectory, firstSymlink] = [directories.end, symlinks.end]

    this.#count('directories')
    this.#path.push({ name, cid })
    await this.#writeFiles(directory, cid)

    for await (const { name, cid, metadata } of directories.from(firstDirectory)) {
      const path = join(directory, name)
      await mkdir(path, { mode: 0o700 })
      await this.fill(path, CID.parse(cid), name)
      // set only now: the mode may forbid writing
      await restoreMetadata(path, metadata)
    }

    for await (const { name, link, metadata } of symlinks.from(firstSymlink)) {
      this.#count('symlinks')
      await writeSymlink(join(directory, name), link, metadata)
    }

    directories.truncate(firstDirectory)
    symlinks.truncate(firstSymlink)
    this.#path.pop()
  }

  /** Write the files of a directory, and push its directories and symlinks on the stacks. */
  async #writeFiles (directory: string, cid: CID): Promise<void> {
    const { files, signal } = this.#options
    const writing = new Set<Promise<void>>()
    let failed: { reason: unknown } | undefined

    try {
      for await (const entry of files.ls(cid, { signal })) {
        checkName(directory, entry.name)

        if (!await this.#pushWaiting(join(directory, entry.name), entry)) {
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
      // wait for writes under way, so that none goes on after a failure
      await Promise.all(writing)
    }

    if (failed != null) {
      throw failed.reason
    }
  }

  /** Push a directory or symlink on its stack, to be written after the files. Returns false for a file. */
  async #pushWaiting (path: string, entry: DirectoryEntry): Promise<boolean> {
    const { directories, symlinks } = this.#options.waiting
    const { name, cid, type, unixfs } = entry

    if (type == null) {
      throw new TreeEntryError(path, `its block ${entry.plainCid} is not in this repo, or is not UnixFS`)
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
    await writeNew(path, files.cat(entry.cid, { signal, transient: true }), bytes => {
      progress.update(this.counts.size += bytes)
      this.#checkLimits()
    })
    await restoreMetadata(path, metadataOf(entry))
  }

  #count (what: 'files' | 'directories' | 'symlinks'): void {
    this.counts[what]++
    this.#checkLimits()
  }

  /** Checked again while writing: the sizes that blocks claimed before may be false. */
  #checkLimits (): void {
    const { files, directories, symlinks, size } = this.counts

    this.#options.limits.check({ size, entries: files + directories + symlinks })
  }

  async #checkSymlink (path: string, link: Uint8Array): Promise<void> {
    const { allowSymlinks, signal } = this.#options

    if (!allowSymlinks) {
      const names = this.#path.slice(1).map(({ name }) => name)
      await checkSymlink(path, link, names, async names => this.#isDirectory(names))
    }

    signal.throwIfAborted()
  }

  /** Whether the tree has a directory at a path. Resolves the path from the deepest directory in `#path`. */
  async #isDirectory (names: readonly string[]): Promise<boolean> {
    const { files, signal } = this.#options
    let known = 0

    while (known < names.length && this.#path[known + 1]?.name === names[known]) {
      known++
    }

    return files.stat(this.#path[known].cid, { path: names.slice(known).join('/'), signal })
      .then(({ type }) => type === 'directory', () => false)
  }
}

/** Refuse the names that @ipfsz/core refuses, and those with the system's own path separators, which it cannot know. */
function checkName (directory: string, name: string): void {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name) || basename(name) !== name) {
    throw new TreeEntryError(
      join(directory, 'entry'),
      `its name ${JSON.stringify(name)} would point outside the directory`
    )
  }
}
