/** Makes an array to fill, or takes one that is no longer used. */
export type Allocate = (size: number) => Uint8Array

/** One array out of many. Where there is one already, it is that one, not a copy. */
export function concat (parts: readonly Uint8Array[], allocate: Allocate = size => new Uint8Array(size)): Uint8Array {
  if (parts.length === 1) {
    return parts[0]
  }

  const whole = allocate(parts.reduce((length, part) => length + part.byteLength, 0))
  let position = 0

  for (const part of parts) {
    whole.set(part, position)
    position += part.byteLength
  }

  return whole
}

/** All of a stream in one array. */
export async function collect (source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []

  for await (const part of source) {
    parts.push(part)
  }

  return concat(parts)
}
