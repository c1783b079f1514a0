import { constants } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { isAt } from '@ipfsz/utils/open-regular-file'
import { TreeEntryError } from '../errors.ts'
import { decodeName } from './byte-string.ts'
import { IgnorePatterns } from './ignore.ts'
import type { HeldDirectory } from './held-directory.ts'
import type { Verdict } from './ignore.ts'
import type { FileHandle } from 'node:fs/promises'

/** The file with patterns that git reads in every directory. */
export const GITIGNORE = '.gitignore'
/** The directory of a repository, or the file that says where that is. Git never tracks it. */
export const GIT = '.git'

/** The byte order mark that some editors put at the beginning. */
const BOM = Buffer.from('\ufeff')

/** Error codes of a file that is missing, a symlink or a socket. */
const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ELOOP', 'ENXIO'])

/** The largest file of patterns in bytes, and the longest pattern in characters. */
const MAX_FILE_SIZE = 256 * 1024
const MAX_PATTERN_LENGTH = 1024
/**
 * What a pattern counts, by how many globstars it has: `**` between two slashes. Each may match any part of a path, and
 * the library tries all combinations: with five of them, a path of 200 directories takes it more than a minute. So
 * patterns with more are refused.
 */
const WEIGHTS: readonly number[] = [1, 10, 200]
/** The most that the patterns may count which apply to a directory, its own and those of the directories above it. */
const MAX_WEIGHT = 20_000
const GLOBSTAR = /\/\*{2,}(?=\/)/g

/** A directory on disk. */
type Place = Pick<HeldDirectory, 'path' | 'shown'>

/** The patterns of one file. */
interface Level {
  /** The directory of the file, relative to the top. */
  directory: string
  patterns: IgnorePatterns
}

/**
 * The patterns of all `.gitignore` files that apply to the entries of a directory, as git means them: a file's patterns
 * are relative to its directory, and those of a deeper file come first. Patterns of `.git/info/exclude` and of git's
 * configuration are left out.
 */
export class GitIgnore {
  /** Where the added tree is, relative to the top: the top of its repository, or the tree itself. */
  readonly #tree: string
  /** The deepest directory last. */
  readonly #levels: readonly Level[]
  readonly #weight: number

  private constructor (tree: string, levels: readonly Level[], weight: number) {
    this.#tree = tree
    this.#levels = levels
    this.#weight = weight
  }

  /**
   * The patterns that apply to a directory before its own: those above it, as far as the top of the repository that it
   * is in. A directory that these ignore was named all the same, so they do not apply to what is in it.
   *
   * @throws {TreeEntryError} a file is too large, or has patterns that take too long to match
   */
  static async above (directory: string): Promise<GitIgnore> {
    const real = await realpath(directory)
    const none = new GitIgnore('', [], 0)
    const top = await findTop(real)

    if (top == null) {
      return none
    }

    const names = relative(top, real).split(sep).filter(Boolean)
    let found = new GitIgnore(names.join('/'), [], 0)

    for (let depth = 0; depth < names.length; depth++) {
      const path = join(top, ...names.slice(0, depth))
      found = await found.#read({ path, shown: path }, names.slice(0, depth).join('/'))
    }

    return names.length > 0 && found.ignores('', true) ? none : found
  }

  /**
   * The patterns that apply to the entries of a directory.
   *
   * @param path - relative to the tree
   * @param hasFile - whether it has a file of patterns
   * @throws {TreeEntryError} the file is too large, or has patterns that take too long to match
   */
  async enter (directory: Place, path: string, hasFile: boolean): Promise<GitIgnore> {
    const here = this.#place(path)
    const levels = here === '' ? this.#levels : this.#levels.map(level => keep(level, here))
    const kept = new GitIgnore(this.#tree, levels, this.#weight)

    return hasFile ? kept.#read(directory, here) : kept
  }

  /** Whether git ignores an entry of the tree, by its path. The directories above it are known to be kept. */
  ignores (path: string, isDirectory: boolean): boolean {
    const place = this.#place(path)

    for (const level of this.#levels.toReversed()) {
      const verdict = test(level, place, isDirectory)

      if (verdict !== 'unknown') {
        return verdict === 'ignored'
      }
    }

    return false
  }

  /** Where a path of the tree is, relative to the top. */
  #place (path: string): string {
    return [this.#tree, path].filter(part => part !== '').join('/')
  }

  async #read ({ path, shown }: Place, place: string): Promise<GitIgnore> {
    const file = join(shown, GITIGNORE)
    const patterns = parse(await readPatterns(join(path, GITIGNORE), file))
    const weight = patterns.reduce((sum, pattern) => sum + weigh(file, pattern), this.#weight)

    if (weight > MAX_WEIGHT) {
      throw new TreeEntryError(file, 'has too many patterns, counting those of the files above it: remove some')
    }

    return patterns.length === 0
      ? this
      : new GitIgnore(
        this.#tree,
        [...this.#levels, { directory: place, patterns: new IgnorePatterns(patterns) }],
        weight
      )
  }
}

function test ({ directory, patterns }: Level, place: string, isDirectory: boolean): Verdict {
  return patterns.test(below(directory, place), isDirectory)
}

/** A path below a directory, relative to it. */
function below (directory: string, place: string): string {
  return directory === '' ? place : place.slice(directory.length + 1)
}

/**
 * A level for what is in a directory. Where this level ignores the directory, a deeper one has taken it back: without
 * that, the library would leave out everything in it.
 */
function keep (level: Level, place: string): Level {
  if (test(level, place, true) !== 'ignored') {
    return level
  }

  // a wildcard instead of an escape: this level is not asked about other directories
  const pattern = `!/${below(level.directory, place).replaceAll(/[\\*?[\]!# ]/g, '?')}`

  return { ...level, patterns: new IgnorePatterns([pattern], level.patterns) }
}

/** The directory that holds `.git`, at or above a directory. */
async function findTop (directory: string): Promise<string | undefined> {
  for (let at = directory; ; at = dirname(at)) {
    if (await lstat(join(at, GIT)).then(() => true, () => false)) {
      return at
    }

    if (at === dirname(at)) {
      return undefined
    }
  }
}

/** The text of a file of patterns, or nothing if it is missing, or is a symlink, which git does not follow. */
async function readPatterns (path: string, file: string): Promise<string> {
  let handle: FileHandle | undefined

  try {
    // a pipe would wait for a writer
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = await handle.stat({ bigint: true })

    if (!stats.isFile() || !isAt(path, stats)) {
      return ''
    }

    const bytes = Buffer.alloc(MAX_FILE_SIZE + 1)
    const { bytesRead } = await handle.read(bytes)

    if (bytesRead > MAX_FILE_SIZE) {
      throw new TreeEntryError(file, `exceeds the limit of ${MAX_FILE_SIZE / 1024} KiB: remove patterns`)
    }

    return decodeName(bytes.subarray(bytes.indexOf(BOM) === 0 ? BOM.byteLength : 0, bytesRead))
  } catch (err) {
    if (err instanceof Error && 'code' in err && MISSING.has(err.code)) {
      return ''
    }

    throw err
  } finally {
    await handle?.close()
  }
}

function parse (text: string): string[] {
  const lines = text.split('\n').map(line => line.replace(/\r$/, ''))

  return lines.filter(line => line !== '' && !line.startsWith('#'))
}

/** What a pattern counts. */
function weigh (file: string, pattern: string): number {
  const weight = WEIGHTS.at((pattern.match(GLOBSTAR) ?? []).length)

  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new TreeEntryError(file, `has a pattern of more than ${MAX_PATTERN_LENGTH} characters: shorten it`)
  }

  if (weight == null) {
    throw new TreeEntryError(
      file,
      `has the pattern ${JSON.stringify(pattern)}, with /**/ more than ${WEIGHTS.length - 1} times: matching it ` +
        'could take too long. Shorten it'
    )
  }

  return weight
}
