import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const LINK = /<(\w+)[^>]*? (href|src)="([^"]*)"/g
const ID = /\sid="([^"]*)"/g
const REMOTE = /^(?:https?:)?\/\//

/**
 * What is wrong with the links of a built site, as `page: link problem`: files and anchors that do not exist,
 * absolute paths, which work only at the root of a host, and files that a page would load from elsewhere.
 */
export function siteProblems (directory: string): string[] {
  const files = globSync('**/*.html', { cwd: directory, exclude: ['demo/**'] })
  const pages = new Map(files.map(file => [join(directory, file), readFileSync(join(directory, file), 'utf8')]))
  const anchors = new Map(
    [...pages].map(([file, html]) => [file, new Set([...html.matchAll(ID)].map(([, id]) => id))])
  )

  return [...pages].flatMap(([file, html]) => (
    [...html.matchAll(LINK)].flatMap(([, tag, , link]) => {
      const problem = linkProblem(file, tag, link.replaceAll('&amp;', '&'), anchors)

      return problem == null ? [] : [`${relative(directory, file)}: ${link} ${problem}`]
    })
  ))
}

function linkProblem (
  page: string,
  tag: string,
  link: string,
  anchors: ReadonlyMap<string, ReadonlySet<string>>
): string | undefined {
  if (REMOTE.test(link)) {
    return tag === 'a' ? undefined : 'is loaded from elsewhere'
  }

  if (/^(?:data|mailto):/.test(link)) {
    return undefined
  }

  if (link.startsWith('/')) {
    return 'is an absolute path'
  }

  const [path, anchor] = link.split('#').map(decodeURIComponent)
  let target = path === '' ? page : join(dirname(page), path)

  if (path.endsWith('/') && existsSync(target)) {
    target = join(target, 'index.html')
  }

  if (statSync(target, { throwIfNoEntry: false })?.isFile() !== true) {
    return 'does not exist'
  }

  return anchor == null || anchor === '' || anchors.get(target)?.has(anchor) === true
    ? undefined
    : 'has no such heading'
}
