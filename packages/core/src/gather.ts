const BLOCK_SIZE = 64 * 1024
/** Chunks from this size on are passed on as they are. */
const LARGE = 4 * 1024

/**
 * Gather small chunks into blocks of up to 64 KiB. An array takes about 200 bytes
 * besides its content, so a frame in chunks of one byte would take 800 MiB.
 */
export async function * gather (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block = new Uint8Array(0)
  let filled = 0

  for await (const chunk of source) {
    const isLarge = chunk.byteLength >= LARGE

    if (filled > 0 && (isLarge || filled + chunk.byteLength > BLOCK_SIZE)) {
      yield block.subarray(0, filled)
      filled = 0
    }

    if (isLarge) {
      yield chunk
      continue
    }

    if (filled === 0) {
      block = new Uint8Array(BLOCK_SIZE)
    }

    block.set(chunk, filled)
    filled += chunk.byteLength
  }

  if (filled > 0) {
    yield block.subarray(0, filled)
  }
}
