import { lstatSync, readdirSync } from 'node:fs'
import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { TreeEntryError } from '../errors.ts'
import { decodeName } from './byte-string.ts'
import { losesExecutableBit, metadata } from './file-content.ts'
import { GIT, GITIGNORE, GitIgnore } from './gitignore.ts'
import { holdDirectory } from './held-directory.ts'
import { HeldTree } from './held-tree.ts'
import { storedTarget } from './symlink-target.ts'
import { TreeFile } from './tree-file.ts'
import type { FileEvents, Preserve } from './file-content.ts'
import type { HeldDirectory } from './held-directory.ts'
import type { Ignore } from './ignore.ts'
import type { ImportCandidateStream } from '@ipfsz/core'
import type { BigIntStats } from 'node:fs'

/** An entry of a tree, as the importer takes it. */
export type Candidate = ImportCandidateStream extends AsyncIterable<infer T> | Iterable<infer T> ? T : never

/** The longest path of a directory below the tree, in characters: no system opens longer ones. */
const MAX_PATH_LENGTH = 4096
/** How much of it an error quotes. */
const MAX_NAME_LENGTH = 255

/** How many entries of a directory are examined ahead. */
const AHEAD = 32

export interface TreeSourceInit {
  /** Whether to include names that begin with a dot. */
  hidden: boolean
  ignore: Ignore
  /** Whether to leave out what git ignores, and `.git`. */
  gitignore: boolean
  preserve: Preserve
  signal: AbortSignal
}

/** What is noticed while a tree is read. Paths are relative to its root. */
export interface TreeSourceEvents extends FileEvents {
  /** Called for each entry that is left out because its name begins with a dot. */
  onHidden (path: string): void
  /** Called for each file that is executable, unless modes are preserved. */
  onExecutable (path: string): void
  /** Called with a tree whose files will be read, perhaps after it was walked: to be closed then. */
  onTree? (tree: HeldTree): void
}

export interface TreeSourceOptions extends TreeSourceInit, TreeSourceEvents {}

interface Entry {
  name: string
  path: string
  stats: BigIntStats
  /** When it was examined, in milliseconds since 1970. */
  examined: number
}

/** A directory that is walked. */
interface Level {
  /** Its path, relative to the tree. */
  below: string
  names: string[]
  /** How many of them were examined. */
  examined: number
  /** Those that were examined last. */
  entries: IterableIterator<Entry>
  git: GitIgnore | undefined
}

/**
 * Yield a directory and everything in it, sorted by name, for the importer. The directory itself comes first, and may
 * be given by a symlink. Symlinks inside it are added as symlinks. Those that take the place of a file or directory
 * meanwhile are not followed. Files are opened only when they are read.
 *
 * @param root - the directory's name in the paths of the result
 * @throws {TreeEntryError} an entry is not a file, directory or symlink, or was replaced while it was read, its name or
 *   its target is not UTF-8, a directory's name ends in a backslash, or a `.gitignore` file is too large
 */
export async function * treeSource (
  directory: string,
  root: string,
  options: TreeSourceOptions
): AsyncGenerator<Candidate> {
  const held = await holdDirectory(directory)
  const tree = new HeldTree(held)

  options.onTree?.(tree)
  yield { path: root, ...metadata(await stat(held.path, { bigint: true }), options.preserve) }

  // not recursive, and no generator of its own: each entry would pass through all of them
  const enter = async (below: string, above: GitIgnore | undefined): Promise<Level> => {
    checkPath(directory, root, below)
    const { names, git } = await tree.within(below, async held => listNames(held, below, options, above))

    return { below, names, examined: 0, entries: [].values(), git }
  }

  const levels = [await enter('', options.gitignore ? await GitIgnore.above(directory) : undefined)]

  for (;;) {
    const level = levels[levels.length - 1]
    const { done = false, value: entry } = level.entries.next()

    if (done && level.examined < level.names.length) {
      options.signal.throwIfAborted()
      level.entries = (await examine(tree, level)).values()
      continue
    }

    if (done) {
      levels.pop()

      if (levels.length === 0) {
        return
      }

      continue
    }

    const { name, path, stats, examined } = entry
    const { below } = level
    const candidate = { path: `${root}/${path}`, ...metadata(stats, options.preserve) }

    if (stats.isDirectory()) {
      yield candidate
      levels.push(await enter(path, level.git))
    } else if (stats.isFile()) {
      if (losesExecutableBit(stats, options.preserve)) {
        options.onExecutable(path)
      }

      yield { ...candidate, content: new TreeFile({ tree, below, name, path, stats, examined, events: options }) }
    } else if (stats.isSymbolicLink()) {
      const link = await tree.within(below, async held => readTarget(held, name))
      // a symlink's mode has no meaning
      yield { path: candidate.path, link, mtime: candidate.mtime } as Candidate
    } else {
      throw new TreeEntryError(join(directory, path), 'is not a file, directory or symlink', { problem: 'not-addable' })
    }
  }
}

function checkPath (directory: string, root: string, below: string): void {
  // a slash after a backslash is taken for a part of a name
  if ((below === '' ? root : below).endsWith('\\')) {
    throw new TreeEntryError(
      join(directory, below),
      'is a directory whose name ends in a backslash',
      { problem: 'bad-name' }
    )
  }

  if (below.length > MAX_PATH_LENGTH) {
    const start = join(directory, below.slice(0, MAX_NAME_LENGTH))
    throw new TreeEntryError(start, 'has paths that are too long for any system')
  }
}

/** Examine the next entries of a directory. */
async function examine (tree: HeldTree, level: Level): Promise<Entry[]> {
  const { below, names } = level
  const next = names.slice(level.examined, level.examined += AHEAD)
  const examined = Date.now()

  // a call of the thread pool takes ten times as long as the file system does
  return tree.within(below, async held => next.map((name): Entry => {
    const path = below === '' ? name : `${below}/${name}`

    return { name, path, stats: lstatSync(`${held.path}/${name}`, { bigint: true }), examined }
  }))
}

/** The names of the entries to add, sorted, and the patterns that apply to them. */
export async function listNames (
  directory: HeldDirectory,
  below: string,
  { hidden, ignore, onHidden }: Pick<TreeSourceOptions, 'hidden' | 'ignore' | 'onHidden'>,
  above: GitIgnore | undefined
): Promise<{ names: string[], git: GitIgnore | undefined }> {
  const entries = await readEntries(directory.path)
  const git = await above?.enter(directory, below, entries.some(({ name, isFile }) => isFile && name === GITIGNORE))
  const names: string[] = []
  const isIgnored = (path: string, name: string, isDirectory: boolean): boolean =>
    ignore(path, isDirectory) || (git != null && (name === GIT || git.ignores(path, isDirectory)))

  for (const { name, decoded, isDirectory } of entries) {
    const path = below === '' ? name : `${below}/${name}`
    const decodedPath = name === decoded ? path : below === '' ? decoded : `${below}/${decoded}`

    // the option has no other way to name what is not UTF-8 than with U+FFFD
    if (isIgnored(decodedPath, decoded, isDirectory) || (name !== decoded && ignore(path, isDirectory))) {
      continue
    }

    if (!hidden && name.startsWith('.')) {
      onHidden(path)
    } else if (name === decoded) {
      names.push(name)
    } else {
      throw new TreeEntryError(
        join(directory.shown, name),
        'its name is not UTF-8, which UnixFS requires',
        { problem: 'bad-name' }
      )
    }
  }

  return { names: names.toSorted((a, b) => a < b ? -1 : 1), git }
}

interface DirectoryEntry {
  /** With U+FFFD in the place of what cannot be decoded. */
  name: string
  /** By `decodeName`: the same, unless it is not UTF-8. */
  decoded: string
  isFile: boolean
  isDirectory: boolean
}

/**
 * The entries of a directory. Bun has no types of entries with names as bytes, so those are read apart, and only if
 * there may be a name that is not UTF-8.
 */
async function readEntries (directory: string): Promise<DirectoryEntry[]> {
  const entries = readdirSync(directory, { withFileTypes: true })

  if (!entries.some(({ name }) => name.includes('\ufffd'))) {
    return entries.map(entry =>
      ({ name: entry.name, decoded: entry.name, isFile: entry.isFile(), isDirectory: entry.isDirectory() }))
  }

  const names = await readdir(directory, { encoding: 'buffer' })

  return Promise.all(names.map(async bytes => {
    const stats = await lstat(Buffer.concat([Buffer.from(`${directory}/`), bytes]))

    return {
      name: bytes.toString(),
      decoded: decodeName(bytes),
      isFile: stats.isFile(),
      isDirectory: stats.isDirectory()
    }
  }))
}

/** The target of a symlink. */
async function readTarget ({ path, shown }: HeldDirectory, name: string): Promise<string> {
  const file = `${path}/${name}`
  const target = await readlink(file)

  if (target.includes('\ufffd') && !(await readlink(file, 'buffer')).equals(Buffer.from(target))) {
    throw new TreeEntryError(
      join(shown, name),
      'is a symlink whose target is not UTF-8, which UnixFS requires',
      { problem: 'bad-target' }
    )
  }

  return storedTarget(target)
}
