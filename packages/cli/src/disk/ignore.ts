/** Whether an entry of a tree is left out, by its path from the root of the tree. */
export type Ignore = (path: string) => boolean

/**
 * Patterns as in `.gitignore`: one without a slash goes for the name at any depth,
 * one with a slash for the path from the root. `*` and `?` stay within a name, `**`
 * goes through directories. What is below a directory that is left out is too.
 */
export function ignoring (patterns: readonly string[]): Ignore {
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
