import type { MarkdownEnv, MarkdownRenderer } from 'vitepress'

const CODE_BLOCK = /^```[^]*?^```$/gm
const LANGUAGE = /^```\w+$/gm
const TABLE_ROW = /^\|.*\n/gm
const DEEP_HEADING = /<(\/?)h[4-6]\b/g

/**
 * What the search finds of a page, as HTML. It has one result for each heading. Of the API that is a class or
 * function, not each of its methods; signatures are left out, and so are the figures of benchmarks.
 */
export function searchText (text: string, env: MarkdownEnv, markdown: MarkdownRenderer): string {
  const path = env.relativePath ?? ''
  const left = path.startsWith('site/api/')
    ? text.replaceAll(CODE_BLOCK, '')
    : path.startsWith('site/benchmarks/') ? text.replaceAll(TABLE_ROW, '') : text

  // colours take most of the time
  return markdown.render(left.replaceAll(LANGUAGE, '```txt'), env).replaceAll(DEEP_HEADING, '<$1p')
}
