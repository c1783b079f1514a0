import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** A link or picture of Markdown, `[text](target "title")`. */
const LINK = /\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g
const ELSEWHERE = /^[a-z][a-z0-9+.-]*:/i
/** A path of this repository in backticks. A path with capitals is a placeholder (`NAME.ts`) and not matched. */
const PATH = /`((?:packages|test|scripts|bench|docs|examples)\/[a-z0-9_./-]+)`/g
const FENCE = /^\s*```/
const HEADING = /^#{1,6} +(.*?) *$/

/**
 * The relative links and paths in Markdown files whose file or heading does not exist, as
 * `file:line: target`.
 */
export function brokenLinks (root: string, patterns: readonly string[]): string[] {
  return globSync([...patterns], { cwd: root }).toSorted().flatMap(file => (
    proseOf(join(root, file)).flatMap((line, i) => {
      const broken = [...badLinks(root, file, line), ...missingPaths(root, line)]

      return broken.map(target => `${file}:${i + 1}: ${target} does not exist`)
    })
  ))
}

function badLinks (root: string, file: string, line: string): string[] {
  return [...line.replaceAll(/`[^`]*`/g, '').matchAll(LINK)]
    .map(([, target]) => target)
    .filter(target => !ELSEWHERE.test(target) && !leadsSomewhere(root, file, target))
}

function missingPaths (root: string, line: string): string[] {
  return [...line.matchAll(PATH)].map(([, path]) => path).filter(path => !existsSync(join(root, path)))
}

function leadsSomewhere (root: string, file: string, target: string): boolean {
  const [path, anchor] = target.split('#').map(decodeURIComponent)
  const to = path === '' ? join(root, file) : join(root, dirname(file), path)
  const stats = statSync(to, { throwIfNoEntry: false })

  // a link out of the repository works only on one machine
  if (stats == null || relative(root, to).startsWith('..')) {
    return false
  }

  return anchor == null || (stats.isFile() && anchorsOf(to).has(anchor))
}

/** The anchors that GitHub gives to the headings of a file. */
function anchorsOf (file: string): Set<string> {
  const anchors = new Set<string>()

  for (const line of proseOf(file)) {
    const [, heading] = HEADING.exec(line) ?? []

    if (heading != null) {
      const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      const name = text.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')
      let anchor = name

      for (let i = 1; anchors.has(anchor); i++) {
        anchor = `${name}-${i}`
      }

      anchors.add(anchor)
    }
  }

  return anchors
}

/** The lines of a file. Those of code blocks are replaced by empty ones. */
function proseOf (file: string): string[] {
  let inFence = false

  return readFileSync(file, 'utf8').split('\n').map(line => {
    const isFence = FENCE.test(line)
    inFence = isFence ? !inFence : inFence

    return isFence || inFence ? '' : line
  })
}
