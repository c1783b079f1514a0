/** Concatenate arrays into a new one. */
export function joinBytes (parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0))
  let at = 0

  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }

  return whole
}
