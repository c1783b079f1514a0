import { posix } from 'node:path'
import { pageOf } from './pages.ts'
import type { MarkdownRenderer } from 'vitepress'

const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|#)/i

/**
 * Make the links between Markdown files lead from page to page, also where a page is in another folder than its
 * file. A link to a file that is no page, such as a source, becomes its text.
 *
 * @param sources - the files of all pages, by page
 */
export function linkPages (markdown: MarkdownRenderer, sources: ReadonlyMap<string, string>): void {
  const pages = new Set(sources.values())

  markdown.core.ruler.push('link-pages', ({ tokens, env }) => {
    const { relativePath } = env as { relativePath: string }
    const source = sources.get(relativePath) ?? relativePath

    for (const { children } of tokens) {
      let isText = false

      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? String(token.attrGet('href')) : undefined

        if (href != null && !ELSEWHERE.test(href)) {
          const target = pageLink(source, href, pages)
          isText = target == null
          token.attrSet('href', target ?? '')
        }

        if (isText && token.type.startsWith('link_')) {
          isText = token.type === 'link_open'
          Object.assign(token, { type: 'text', tag: '', content: '', nesting: 0 })
        }
      }
    }
  })
}

/** The link from the page of a file to that of another one. Undefined if that one is no page. */
function pageLink (source: string, href: string, pages: ReadonlySet<string>): string | undefined {
  const [path, anchor] = href.split('#')
  const target = posix.join(posix.dirname(source), decodeURIComponent(path))

  if (!pages.has(target)) {
    return undefined
  }

  const relative = posix.relative(posix.dirname(pageOf(source)), pageOf(target))

  return `./${relative}${anchor == null ? '' : `#${anchor}`}`
}
