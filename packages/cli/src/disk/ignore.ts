import ignore from 'ignore'

/** Whether to leave out an entry of a tree, by its path from the root of the tree. */
export type Ignore = (path: string, isDirectory: boolean) => boolean

/** The library remembers every path that it was asked for: after this many it starts afresh. */
const MAX_REMEMBERED_PATHS = 10_000

/**
 * Match patterns as in `.gitignore`, with the library that ESLint uses. The last pattern that matches decides, and `!`
 * takes a pattern back. Ignoring a directory ignores all that is in it.
 */
export function ignoreMatcher (patterns: readonly string[]): Ignore {
  // like git on Linux. As objects, because a pattern in a string would end at a line feed
  const rules = ignore({ ignoreCase: false }).add(patterns.map(pattern => ({ pattern })))
  let matcher = rules
  let remembered = 0

  return (path, isDirectory) => {
    if (++remembered > MAX_REMEMBERED_PATHS) {
      matcher = ignore({ ignoreCase: false }).add(rules)
      remembered = 1
    }

    return matcher.ignores(isDirectory ? `${path}/` : path)
  }
}
