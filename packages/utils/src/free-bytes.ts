/** Bytes that a decoder's output may have besides its content: zlib's has one. */
export const SPARE = 1

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

/** What packs have in the memory of a block besides, at most: its multihash, and headers of 3 bytes. */
const BESIDE_BLOCK = 1024

/** Free the memory of a block that nothing else refers to. Does nothing if much more than the block is there. */
export function freeBlock ({ buffer, byteLength }: Uint8Array): void {
  // without a byte, somebody else has freed it
  if (byteLength > 0 && buffer.byteLength - byteLength <= BESIDE_BLOCK) {
    freeBytes(new Uint8Array(buffer))
  }
}

/** Memory of which a codec made a single result, which may be shorter than it. */
const results = new WeakSet<ArrayBufferLike>()

/** Note that a result is alone in its memory. */
export function markResult ({ buffer }: Uint8Array): void {
  results.add(buffer)
}

/** Forget that: somebody else has the memory too. */
export function unmarkResult ({ buffer }: Uint8Array): void {
  results.delete(buffer)
}

/** Free the memory of a result, given a part of it. Does nothing with other bytes. */
export function freeResult ({ buffer }: Uint8Array): void {
  if (results.delete(buffer)) {
    freeBytes(new Uint8Array(buffer))
  }
}

/** Whether an array has all of its memory, and that can be moved: not in browsers before 2024. */
export function isMovable ({ buffer, byteLength }: Uint8Array): boolean {
  return buffer.byteLength === byteLength && 'transfer' in buffer
}

/**
 * Move the memory of a movable array into another one, without copying: the array, and all others on its memory, have
 * no bytes any more.
 */
export function moveBytes ({ buffer }: Uint8Array): Uint8Array {
  return new Uint8Array((buffer as ArrayBuffer).transfer())
}
