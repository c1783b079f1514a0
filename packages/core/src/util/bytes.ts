/** Bytes that a decoder's output may have besides its content: zlib's has one. */
const SPARE = 1

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

/**
 * Free the memory of an array at once. As garbage, every 18 to 64 MiB of such arrays make V8 mark the whole heap: when
 * a large file was read, that took a third of the processor time. Does nothing if other bytes may be in the same
 * memory.
 */
export function freeBytes ({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && buffer.byteLength - byteLength <= SPARE) {
    // browsers before 2024 lack it: there it stays garbage
    (buffer as Partial<Pick<ArrayBuffer, 'transfer'>>).transfer?.(0)
  }
}

/** Read a whole stream into one array. */
export async function collectBytes (source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []

  for await (const part of source) {
    parts.push(part)
  }

  return concat(parts)
}
