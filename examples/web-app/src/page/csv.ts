/**
 * Rows of a CSV (RFC 4180): cells in quotes may hold separators, line ends and, doubled,
 * quotes. Text that breaks the rules is kept as it is.
 *
 * @param maxRows - where to stop
 */
export function parseCsv (text: string, separator: string, maxRows: number): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0

  while (at < text.length && rows.length < maxRows) {
    const [cell, behind] = text[at] === '"' ? quoted(text, at) : bare(text, at, separator)

    row.push(cell)
    at = behind

    if (text[at] === separator) {
      at++

      // a separator at the very end has an empty cell after it
      if (at < text.length) {
        continue
      }

      row.push('')
    }

    at += text.startsWith('\r\n', at) ? 2 : 1
    rows.push(row)
    row = []
  }

  return rows
}

/** The separator: the one of the usual three that splits the first row into the most cells. */
export function separatorOf (text: string): string {
  const cells = (separator: string): number => parseCsv(text, separator, 1)[0]?.length ?? 0

  return [',', ';', '\t'].reduce((best, next) => cells(next) > cells(best) ? next : best)
}

/**
 * Whether a text without a name is a table: all rows have as many columns as the first, and
 * the first has a title for each. A comma in prose has a space after it.
 */
export function looksLikeCsv (text: string): boolean {
  // the last row may be incomplete
  const rows = parseCsv(text, separatorOf(text), 10).slice(0, -1)

  const [titles = []] = rows

  return rows.length > 1 && titles.length > 1 &&
    titles.every(title => title !== '' && title === title.trim()) &&
    rows.every(row => row.length === titles.length)
}

function quoted (text: string, begin: number): [string, number] {
  let cell = ''

  for (let at = begin + 1; ;) {
    const quote = text.indexOf('"', at)

    if (quote === -1) {
      return [cell + text.slice(at), text.length]
    }

    cell += text.slice(at, quote)

    if (text[quote + 1] !== '"') {
      return [cell, quote + 1]
    }

    cell += '"'
    at = quote + 2
  }
}

function bare (text: string, begin: number, separator: string): [string, number] {
  let end = begin

  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') {
    end++
  }

  return [text.slice(begin, end), end]
}
