import { lstat, mkdir, rename, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { TreeEntryError } from './errors.ts'
import { restoreMetadata } from './restore-metadata.ts'
import { namedByTarget, temporaryFor, writeNew } from './write-file.ts'
import type { Progress } from './progress.ts'
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

/**
 * Write a tree to disk: whole under its name, or not at all.
 *
 * Every directory is new, and all files and directories in it are made before its
 * symlinks, none of them where something is already. So nothing is written through a
 * symlink, whether it is from the tree or was put there meanwhile.
 *
 * @throws {TreeEntryError} an entry cannot be written under its name
 */
export async function writeTree (target: string, root: TreeRoot, files: Ipfsz, progress: Progress, signal: AbortSignal): Promise<TreeCounts> {
  if (await exists(target)) {
    throw new TreeEntryError(target, 'is there already, and a tree is written only where nothing is')
  }

  const temporary = temporaryFor(target)
  const writer = new TreeWriter(files, signal, progress)

  try {
    // nobody else sees what is not whole
    await mkdir(temporary, { mode: 0o700 }).catch((err: unknown) => { throw namedByTarget(err, target) })
    await writer.fill(temporary, root)
    await writer.finish()
    await rename(temporary, target)
  } catch (err) {
    await rm(temporary, { recursive: true, force: true }).catch(() => {})
    throw signal.aborted ? signal.reason : renamed(err, temporary, target)
  } finally {
    writer.progress.end()
  }

  return writer.counts
}

class TreeWriter {
  readonly counts: TreeCounts = { files: 0, directories: 0, symlinks: 0, size: 0 }
  readonly progress: Progress
  readonly #written: Array<{ path: string, root: TreeRoot }> = []
  readonly #files: Ipfsz
  readonly #signal: AbortSignal

  constructor (files: Ipfsz, signal: AbortSignal, progress: Progress) {
    this.#files = files
    this.#signal = signal
    this.progress = progress
  }

  /** Write what is in a directory. */
  async fill (directory: string, root: TreeRoot): Promise<void> {
    const signal = this.#signal
    const writing = new Set<Promise<void>>()
    const later: DirectoryEntry[] = []
    let failed: { reason: unknown } | undefined

    this.counts.directories++

    try {
      for await (const entry of this.#files.ls(root.cid, { signal })) {
        checkName(directory, entry.name)

        if (entry.type == null) {
          throw new TreeEntryError(join(directory, entry.name), `its block ${entry.plainCid} is not in this repo, or is no UnixFS`)
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

    await this.#fillLater(directory, later)
    this.#written.push({ path: directory, root })
  }

  /** Give directories their mode and mtime, those within before those around them: some cannot be written to any more. */
  async finish (): Promise<void> {
    for (const { path, root } of this.#written) {
      await restoreMetadata(path, root)
    }
  }

  async #fillLater (directory: string, entries: DirectoryEntry[]): Promise<void> {
    for (const entry of entries.filter(({ type }) => type === 'directory')) {
      const path = join(directory, entry.name)
      await mkdir(path, { mode: 0o700 })
      await this.fill(path, entry)
    }

    for (const entry of entries.filter(({ type }) => type !== 'directory')) {
      await writeSymlink(join(directory, entry.name), entry)
      this.counts.symlinks++
    }
  }

  async #writeFile (path: string, entry: DirectoryEntry): Promise<void> {
    await writeNew(path, this.#files.cat(entry.cid, { signal: this.#signal }), bytes => {
      this.progress.update(this.counts.size += bytes)
    })
    await restoreMetadata(path, entry)
    this.counts.files++
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

/** Whether there is anything, also a symlink to nowhere. */
export async function exists (path: string): Promise<boolean> {
  return lstat(path).then(() => true, () => false)
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
