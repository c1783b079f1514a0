import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** A link or picture of Markdown, `[text](target "title")`. */
const LINK = /\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g
const ELSEWHERE = /^[a-z][a-z0-9+.-]*:/i
/** A path of this repository in backticks. A path with capitals is a placeholder (`NAME.ts`) and not matched. */
const PATH = /`((?:packages|test|scripts|bench|docs|examples)\/[a-z0-9_./-]+)`/g
/** Says where the shorter paths are that follow, up to the next heading. */
const BASE = /\bpaths (?:without a package )?are below `(packages\/[a-z0-9_/-]+)`/i
/** A path below the base, such as `write/` or `dag/read.ts`. */
const SHORT_PATH = /`([a-z0-9_-]+(?:\/[a-z0-9_-]+)*(?:\/|\.ts))`/g
const FENCE = /^\s*```/
const HEADING = /^#{1,6} +(.*?) *$/

/**
 * The relative links and paths in Markdown files whose file or heading does not exist, as
 * `file:line: target`. Paths below a package may be shortened after a sentence such as
 * "Paths are below `packages/core/src`."
 */
export function brokenLinks (root: string, patterns: readonly string[]): string[] {
  return globSync([...patterns], { cwd: root }).toSorted().flatMap(file => {
    const lines = proseOf(join(root, file))
    const bases = basesOf(lines)

    return lines.flatMap((line, i) => {
      const broken = [
        ...badLinks(root, file, line),
        ...missingPaths(root, line),
        ...missingShortPaths(root, bases[i], line)
      ]

      return broken.map(target => `${file}:${i + 1}: ${target} does not exist`)
    })
  })
}

function badLinks (root: string, file: string, line: string): string[] {
  return [...line.replaceAll(/`[^`]*`/g, '').matchAll(LINK)]
    .map(([, target]) => target)
    .filter(target => !ELSEWHERE.test(target) && !leadsSomewhere(root, file, target))
}

function missingPaths (root: string, line: string): string[] {
  return [...line.matchAll(PATH)].map(([, path]) => path).filter(path => !existsSync(join(root, path)))
}

/** For each line, the folder that its short paths are below: that of its section, or of a section around it. */
function basesOf (lines: readonly string[]): Array<string | undefined> {
  let level = 0
  let base: { path: string, level: number } | undefined

  return lines.map(line => {
    const [, marks] = /^(#{1,6}) /.exec(line) ?? []
    const [, path] = BASE.exec(line) ?? []

    if (marks != null) {
      level = marks.length
      base = base != null && level > base.level ? base : undefined
    }

    if (path != null) {
      base = { path, level }
    }

    return base?.path
  })
}

/** A short path may also be below a folder that the same line names. */
function missingShortPaths (root: string, base: string | undefined, line: string): string[] {
  if (base == null) {
    return []
  }

  const long = [...line.matchAll(PATH)].map(([, path]) => path)
  const short = [...line.matchAll(SHORT_PATH)].map(([, path]) => path).filter(path => !long.includes(path))
  const folders = [...long, ...short.map(path => join(base, path))].filter(path => path.endsWith('/'))

  return short.filter(path => ![base, '', ...folders].some(folder => existsSync(join(root, folder, path))))
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
