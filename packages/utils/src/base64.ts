/** Decode base64. */
export function fromBase64 (base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)

  for (let i = 0; i < text.length; i++) {
    bytes[i] = text.charCodeAt(i)
  }

  return bytes
}
