/** Maximum number of characters of a title: the loader contains it twice, and is sent for each page. */
const MAX_TITLE = 200

/** What a title may stand in that is not the title of the page: comments, and elements that browsers do not show. */
const START = /<(?:!--|(title|script|style|svg|template|noscript)(?=[\s/>]))/gi

/** What ends them. */
const END: Readonly<Record<string, RegExp>> = {
  '': /-->/g,
  title: /<\/title/gi,
  script: /<\/script/gi,
  style: /<\/style/gi,
  svg: /<\/svg/gi,
  template: /<\/template/gi,
  noscript: /<\/noscript/gi
}

/**
 * The title of a page. Undefined: it has none. Takes time in proportion to the length of the page: goes forward only,
 * and ends where something is not closed.
 */
export function titleOf (html: string): string | undefined {
  for (let at = 0; ;) {
    const start = find(START, html, at)
    const name = start?.[1]?.toLowerCase() ?? ''
    const tagEnd = name === '' ? START.lastIndex : html.indexOf('>', START.lastIndex) + 1
    const end = start == null || tagEnd === 0 ? undefined : find(END[name], html, tagEnd)

    if (end == null) {
      return undefined
    }

    if (name === 'title') {
      // entities stay as they are written
      const text = html.slice(tagEnd, end.index).trim()

      return text === '' ? undefined : Array.from(text.slice(0, 2 * MAX_TITLE)).slice(0, MAX_TITLE).join('')
    }

    at = END[name].lastIndex
  }
}

function find (pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from

  return pattern.exec(text)
}
