/** Where the characters for bytes above ASCII begin: none of them is white space, or has a meaning in a pattern. */
const HIGH = 0xe100
/** Where lone surrogates for bytes begin that are not UTF-8. No text that is UTF-8 has any. */
const ESCAPED = 0xdc00

/** A name or a text that may not be UTF-8: if so, its bytes above ASCII are lone surrogates, from U+DC80 to U+DCFF. */
export function decodeName (bytes: Buffer): string {
  const text = bytes.toString()

  return Buffer.from(text).equals(bytes)
    ? text
    : Array.from(bytes, byte => String.fromCharCode(byte < 0x80 ? byte : ESCAPED + byte)).join('')
}

/** One character for each byte of a text in UTF-8, and for each byte that `decodeName` escaped. Those of ASCII stay. */
export function toByteString (text: string): string {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  return text.replaceAll(/[^\0-\x7f]/gu, char => {
    const code = char.codePointAt(0) ?? 0
    const bytes = code > ESCAPED + 0x7f && code <= ESCAPED + 0xff ? [code - ESCAPED] : Buffer.from(char)

    return String.fromCharCode(...Array.from(bytes, byte => HIGH + byte))
  })
}
