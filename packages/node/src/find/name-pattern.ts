/**
 * A pattern as that of `find -name`: `*` stands for any characters, `?` for one. A character is a code point, as there
 * in UTF-8. A pattern with a slash is for the whole path, as that of `find -path`.
 */
export function matchesPattern (pattern: string, path: string): boolean {
  return matches(pattern, pattern.includes('/') ? path : path.slice(path.lastIndexOf('/') + 1))
}

/**
 * Takes time proportional to both lengths at most, unlike a regular expression: a stranger's directory may have names
 * of a megabyte.
 */
function matches (pattern: string, text: string): boolean {
  let [at, inText] = [0, 0]
  // where the last star is, and where what it stands for ends
  let [star, end] = [-1, 0]

  while (inText < text.length) {
    if (pattern[at] === '*') {
      star = at++
      end = inText
    } else if (pattern[at] === '?' || pattern.codePointAt(at) === text.codePointAt(inText)) {
      at = after(pattern, at)
      inText = after(text, inText)
    } else if (star !== -1) {
      at = star + 1
      inText = end = after(text, end)
    } else {
      return false
    }
  }

  return /^\**$/.test(pattern.slice(at))
}

/** Where the next character begins: those outside of the basic plane take up two code units. */
function after (text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
}
