/** Apply the filter with this code (docs/format.md, section 6). */
export function applyFilter (bytes: Uint8Array, code: number): Uint8Array {
  const [kind, width] = [code >> 8, code % 256]
  const count = Math.floor(bytes.byteLength / width)
  const result = new Uint8Array(bytes)

  for (let i = 0; i < count; i++) {
    let borrow = 0

    for (let byte = 0; byte < width; byte++) {
      const at = i * width + byte

      if (kind > 1) {
        result[byte * count + i] = bytes[at] - (kind === 3 && i > 0 ? bytes[at - width] : 0)
      } else if (i > 0) {
        const difference = bytes[at] - bytes[at - width] - borrow
        result[at] = difference
        borrow = difference < 0 ? 1 : 0
      }
    }
  }

  return result
}
