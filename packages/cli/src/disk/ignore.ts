/** Whether to leave out an entry of a tree, by its path from the root of the tree. */
export type Ignore = (path: string) => boolean

/**
 * Match patterns as in `.gitignore`. A pattern without a slash matches names at any depth; one with a slash matches the
 * path from the root. `*` and `?` do not match a slash, `**` does. Ignoring a directory ignores all that is in it.
 */
export function ignoreMatcher (patterns: readonly string[]): Ignore {
  const tests = patterns.map(pattern => {
    const bare = pattern.replace(/\/+$/, '')

    return { whole: bare.includes('/'), expression: toExpression(bare.replace(/^\//, '')) }
  })

  return path => {
    const name = path.slice(path.lastIndexOf('/') + 1)

    return tests.some(({ whole, expression }) => expression.test(whole ? path : name))
  }
}

function toExpression (pattern: string): RegExp {
  const source = pattern.replaceAll(/\*\*\/|\*\*|\*|\?|[\\^$.|+()[\]{}]/g, part => {
    switch (part) {
      case '**/': return '(?:.*/)?'
      case '**': return '.*'
      case '*': return '[^/]*'
      case '?': return '[^/]'
      default: return `\\${part}`
    }
  })

  return new RegExp(`^${source}$`, 'su')
}
