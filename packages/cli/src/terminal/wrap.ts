/** A space that is not between a number and its unit. */
const SPACE = / (?!(?:[KMGTP]iB|B|MB\/s|[MG]bit\/s|ms|s|min|h|d|%)(?![a-z]))/

/** Wraps words into lines of at most `width` characters. */
export function wrap (text: string, width: number): string {
  const lines: string[] = []

  for (const word of text.split(SPACE)) {
    const last = lines.at(-1)

    if (last != null && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else {
      lines.push(word)
    }
  }

  return lines.join('\n')
}
