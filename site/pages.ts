/**
 * Which Markdown files are pages of the site, and where. The files stay where readers of the repository
 * expect them, and link to each other there.
 */

/** Patterns of the files that are pages, below the repository. `site/api` and `site/benchmarks` are generated. */
export const SOURCES = [
  '*.md',
  'docs/**/*.md',
  'packages/*/README.md',
  'examples/*/README.md',
  'site/{api,benchmarks}/**/*.md'
]

const RULES: ReadonlyArray<readonly [RegExp, string]> = [
  [/^README\.md$/, 'index.md'],
  [/^docs\/README\.md$/, 'docs.md'],
  [/^docs\//, ''],
  [/^(packages|examples)\/([^/]+)\/README\.md$/, '$1/$2.md'],
  [/^site\/api\/README\.md$/, 'api/index.md'],
  [/^site\/(api|benchmarks)\//, '$1/']
]

/**
 * The page that a file becomes, as in `guide/start.md` for `docs/guide/start.md`.
 *
 * @param source - a path below the repository, with slashes
 */
export function pageOf (source: string): string {
  const [from, to] = RULES.find(([from]) => from.test(source)) ?? [/^.*$/, source.toLowerCase()]

  return source.replace(from, to)
}
