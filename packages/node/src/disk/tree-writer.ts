import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { quoteName } from '@ipfsz/utils/quote-name'
import { CID } from 'multiformats/cid'
import { TreeEntryError } from '../errors.ts'
import { metadataOf, restoreDirectory } from './restore-metadata.ts'
import { withShownPath } from './target-errors.ts'
import { writeNew } from './write-file.ts'
import { checkSymlink, linkOf, writeSymlink } from './write-symlink.ts'
import type { HeldDirectory } from './held-directory.ts'
import type { Metadata } from './restore-metadata.ts'
import type { SpillStack } from './spill-stack.ts'
import type { WriteLimits } from './write-limits.ts'
import type { Progress } from './progress.ts'
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

/** Writes the entries of a new directory, and of those below it. */
export class TreeWriter {
  readonly counts: TreeCounts = { files: 0, directories: 0, symlinks: 0, size: 0 }
  readonly #options: WriteTreeOptions
  /** The directories from the root of the tree to the one being filled, including both. */
  readonly #path: Array<{ name: string, cid: CID }> = []

  constructor (options: WriteTreeOptions) {
    this.#options = options
  }

  /** Write the entries of a directory: its files, then its directories, then its symlinks. */
  async fill (directory: HeldDirectory, cid: CID, name: string): Promise<void> {
    await this.#fill(directory, cid, name).catch((err: unknown) => { throw withShownPath(err, directory) })
  }

  async #fill (directory: HeldDirectory, cid: CID, name: string): Promise<void> {
    const { directories, symlinks } = this.#options.waiting
    const [firstDirectory, firstSymlink] = [directories.end, symlinks.end]

    this.#count('directories')
    this.#path.push({ name, cid })
    await this.#writeFiles(directory, cid)

    for await (const { name, cid, metadata } of directories.from(firstDirectory)) {
      await mkdir(`${directory.path}/${name}`, { mode: 0o700 })
      const below = await directory.enter(name)

      try {
        await this.fill(below, CID.parse(cid), name)
        // set only now: the mode may forbid writing
        await restoreDirectory(below, metadata)
      } finally {
        await below.close()
      }
    }

    for await (const { name, link, metadata } of symlinks.from(firstSymlink)) {
      this.#count('symlinks')
      await writeSymlink(`${directory.path}/${name}`, link, metadata)
    }

    directories.truncate(firstDirectory)
    symlinks.truncate(firstSymlink)
    this.#path.pop()
  }

  /** Write the files of a directory, and push its directories and symlinks on the stacks. */
  async #writeFiles (directory: HeldDirectory, cid: CID): Promise<void> {
    const { files, signal } = this.#options
    const writing = new Set<Promise<void>>()
    let failed: { reason: unknown } | undefined

    try {
      for await (const entry of files.ls(cid, { signal })) {
        checkName(directory.shown, entry.name)

        if (!await this.#pushWaiting(join(directory.shown, entry.name), entry)) {
          const written: Promise<void> = this.#writeFile(`${directory.path}/${entry.name}`, entry)
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
      // wait for writes in progress, so that none continues after a failure
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
    await writeNew(path, files.cat(entry.cid, { signal, transient: true }), metadataOf(entry), bytes => {
      progress.update(this.counts.size += bytes)
      this.#checkLimits()
    })
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
      `its name ${quoteName(name)} would point outside the directory`
    )
  }
}
