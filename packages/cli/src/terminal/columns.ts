/** Columns of a terminal that does not say how many it has. */
export const DEFAULT_COLUMNS = 80

/** The columns of a stream that may be used: some terminals wrap in the last one. Infinity if it is no terminal. */
export function widthOf ({ isTTY, columns }: { isTTY?: boolean, columns?: number }): number {
  // some terminals report 0
  return isTTY === true ? (columns || DEFAULT_COLUMNS) - 1 : Infinity
}

/** Whether a line can be drawn again and again: not on a dumb terminal, which would print the codes for that. */
export function canRedraw ({ isTTY }: { isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): boolean {
  return isTTY === true && env.TERM !== 'dumb'
}

/** Stands for what is cut out of a text. */
const CUT = '…'

/** Maximum number of columns that a text may take: the characters of some scripts, and emoji, take two. */
export function columnsOf (text: string): number {
  let columns = 0

  for (const character of text) {
    columns += character < '\u1100' ? 1 : 2
  }

  return columns
}

/** A text in at most this many columns. Cut in the middle: the end of a name often tells more than its middle. */
export function shorten (text: string, columns: number): string {
  if (columnsOf(text) <= columns) {
    return text
  }

  if (columns <= 0) {
    return ''
  }

  const characters = [...text]
  const start = take(characters, Math.ceil((columns - 1) / 2))
  const end = take(characters.toReversed(), columns - 1 - columnsOf(start.join('')))

  return [...start, CUT, ...end.toReversed()].join('')
}

/** The first characters that fit into this many columns. */
function take (characters: readonly string[], columns: number): string[] {
  let left = columns
  const end = characters.findIndex(character => (left -= columnsOf(character)) < 0)

  return characters.slice(0, end)
}
