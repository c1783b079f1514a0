import ignore from 'ignore'
import { toByteString } from './byte-string.ts'

/** Whether to leave out an entry of a tree, by its path from the root of the tree. */
export type Ignore = (path: string, isDirectory: boolean) => boolean

/** What patterns say of a path: the last one that matches decides, and it may begin with `!`. */
export type Verdict = 'ignored' | 'kept' | 'unknown'

/** The library remembers every path that it was asked for: after this many it starts afresh. */
const MAX_REMEMBERED_PATHS = 10_000

/**
 * Patterns as in `.gitignore`, matched with the library that ESLint uses, and byte by byte as in git. The last pattern
 * that matches decides, and `!` takes a pattern back. Ignoring a directory ignores all that is in it.
 */
export class IgnorePatterns {
  readonly #rules: ignore.Ignore
  #matcher: ignore.Ignore
  #remembered = 0

  constructor (patterns: readonly string[], before?: IgnorePatterns) {
    // like git on Linux. As objects, because a pattern in a string would end at a line feed
    this.#rules = ignore({ ignoreCase: false })
      .add(before == null ? [] : before.#rules)
      .add(patterns.map(pattern => ({ pattern: toByteString(pattern) })))
    this.#matcher = this.#rules
  }

  test (path: string, isDirectory: boolean): Verdict {
    if (++this.#remembered > MAX_REMEMBERED_PATHS) {
      this.#matcher = ignore({ ignoreCase: false }).add(this.#rules)
      this.#remembered = 1
    }

    const { ignored, unignored } = this.#matcher.test(toByteString(isDirectory ? `${path}/` : path))

    if (ignored) {
      return 'ignored'
    }

    return unignored ? 'kept' : 'unknown'
  }
}

/** Match the patterns of an option. */
export function ignoreMatcher (patterns: readonly string[]): Ignore {
  if (patterns.length === 0) {
    // the library would remember the paths of all files
    return () => false
  }

  const matcher = new IgnorePatterns(patterns)

  return (path, isDirectory) => matcher.test(path, isDirectory) === 'ignored'
}
