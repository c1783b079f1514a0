// Room: checksums of the formats.

const MODULUS = 65521

/** After this many bytes of 255 both sums are still below 2^31, so small integers in V8 (65520 + 2048 * 65775). */
const CHUNK = 2048

/** Adler-32 (RFC 1950, section 8.2). */
export function adler32 (bytes: Uint8Array): number {
  let a = 1
  let b = 0

  for (let position = 0; position < bytes.byteLength;) {
    for (const end = Math.min(position + CHUNK, bytes.byteLength); position < end;) {
      a += bytes[position++]
      b += a
    }

    a %= MODULUS
    b %= MODULUS
  }

  return (b * 2 ** 16 + a)
}
