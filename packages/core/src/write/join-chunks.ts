const BLOCK_SIZE = 64 * 1024
/** Chunks of at least this size pass unchanged. */
const LARGE_CHUNK_SIZE = 4 * 1024

/**
 * Join small chunks into blocks of up to 64 KiB. A Uint8Array takes about 200 bytes besides
 * its content, so a frame in chunks of one byte would take 800 MiB.
 */
export async function * joinChunks (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block: Uint8Array | undefined
  // a lone small chunk, typically a whole small file: it passes without allocating a block
  let first: Uint8Array | undefined
  let filled = 0

  for await (const chunk of source) {
    const isLarge = chunk.byteLength >= LARGE_CHUNK_SIZE

    if (filled > 0 && (isLarge || filled + chunk.byteLength > BLOCK_SIZE)) {
      yield first ?? (block as Uint8Array).subarray(0, filled)
      block = first = undefined
      filled = 0
    }

    if (isLarge) {
      yield chunk
      continue
    }

    if (filled === 0) {
      first = chunk
    } else {
      block = append(block, first, filled, chunk)
      first = undefined
    }

    filled += chunk.byteLength
  }

  if (filled > 0) {
    yield first ?? (block as Uint8Array).subarray(0, filled)
  }
}

function append (
  block: Uint8Array | undefined,
  first: Uint8Array | undefined,
  filled: number,
  chunk: Uint8Array
): Uint8Array {
  const buffer = block ?? new Uint8Array(BLOCK_SIZE)

  if (first != null) {
    buffer.set(first)
  }

  buffer.set(chunk, filled)

  return buffer
}
