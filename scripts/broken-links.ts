import { globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** A link or picture of Markdown, `[text](target "title")`. */
const LINK = /\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g
const ELSEWHERE = /^[a-z][a-z0-9+.-]*:/i
const FENCE = /^\s*```/
const HEADING = /^#{1,6} +(.*?) *$/

/** The relative links of Markdown files that lead to no file, or to no heading of one: `file:line: target`. */
export function brokenLinks (root: string, patterns: readonly string[]): string[] {
  return globSync([...patterns], { cwd: root }).toSorted().flatMap(file => (
    proseOf(join(root, file)).flatMap((line, i) => (
      [...line.replaceAll(/`[^`]*`/g, '').matchAll(LINK)]
        .map(([, target]) => target)
        .filter(target => !ELSEWHERE.test(target) && !leadsSomewhere(root, file, target))
        .map(target => `${file}:${i + 1}: ${target} leads nowhere`)
    ))
  ))
}

function leadsSomewhere (root: string, file: string, target: string): boolean {
  const [path, anchor] = target.split('#').map(decodeURIComponent)
  const to = path === '' ? join(root, file) : join(root, dirname(file), path)
  const stats = statSync(to, { throwIfNoEntry: false })

  // a link out of the repository works on one machine alone
  if (stats == null || relative(root, to).startsWith('..')) {
    return false
  }

  return anchor == null || (stats.isFile() && anchorsOf(to).has(anchor))
}

/** What GitHub calls the headings of a file in links. */
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

/** The lines of a file, those of code blocks empty. */
function proseOf (file: string): string[] {
  let inFence = false

  return readFileSync(file, 'utf8').split('\n').map(line => {
    const isFence = FENCE.test(line)
    inFence = isFence ? !inFence : inFence

    return isFence || inFence ? '' : line
  })
}
