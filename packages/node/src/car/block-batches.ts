/** Maximum bytes of blocks that are stored at once. A store writes 50 blocks at a time, and each may have 8 MiB. */
const MAX_BATCH_SIZE = 32 * 1024 * 1024
/** Maximum number of blocks that are stored at once. */
const MAX_BATCH_LENGTH = 50

/** Group blocks, in their order, into batches of bounded size. A larger block is a batch of its own. */
export async function * blockBatches<T extends { bytes: Uint8Array }> (
  blocks: AsyncIterable<T>,
  maxSize = MAX_BATCH_SIZE
): AsyncGenerator<T[]> {
  let batch: T[] = []
  let size = 0

  for await (const block of blocks) {
    if (batch.length === MAX_BATCH_LENGTH || (batch.length > 0 && size + block.bytes.byteLength > maxSize)) {
      yield batch
      batch = []
      size = 0
    }

    batch.push(block)
    size += block.bytes.byteLength
  }

  if (batch.length > 0) {
    yield batch
  }
}
