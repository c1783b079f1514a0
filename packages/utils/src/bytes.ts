/** Allocates an array, or reuses one. Its content is overwritten. */
export type Allocate = (size: number) => Uint8Array

/**
 * Concatenate arrays. A single array is returned as it is, without copying. (`concat` of
 * uint8arrays copies it, and cannot reuse memory.)
 */
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

/** The same memory as a plain array: `slice` of a Buffer, which stores return, does not copy. */
export function plainArray (bytes: Uint8Array): Uint8Array {
  return bytes.constructor === Uint8Array
    ? bytes
    : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Read a whole stream. */
export async function collectParts (source: Source): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = []

  for await (const part of source) {
    parts.push(part)
  }

  return parts
}

/** Read a whole stream into one array. */
export async function collectBytes (source: Source): Promise<Uint8Array> {
  return concat(await collectParts(source))
}

/** The parts of an array, of `size` bytes each. The last one may be shorter. */
export function * slices (bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += size) {
    yield bytes.subarray(start, start + size)
  }
}
