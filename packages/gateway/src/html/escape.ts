/** Control characters, line separators, what changes the direction of a text (UAX #9, section 2), or cannot be seen. */
const HIDDEN = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\u00ad\u200b\u2060-\u2064\ufeff]/gu

/** Escape a text between tags. */
export function escapeText (text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Escape the value of an attribute in double quotes. */
export function escapeAttribute (text: string): string {
  return escapeText(text).replaceAll('"', '&quot;')
}

/**
 * Replace the characters of a name that are not seen by their codes, as the command does: `\u202e` for
 * the override that makes `gpj.exe` look like `exe.jpg`.
 */
export function revealHidden (name: string): string {
  // most names, in a tenth of the time
  if (/^[\x20-\x7e]*$/.test(name)) {
    return name
  }

  return name.toWellFormed().replaceAll(HIDDEN, character => {
    const code = character.charCodeAt(0)

    return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/** Escape a name, or another text of strangers, for a page. */
export function showName (name: string): string {
  return escapeText(revealHidden(name))
}

/** Encode a name for the path of a link. */
export function encodeName (name: string): string {
  return encodeURIComponent(name.toWellFormed())
}
