import { concat } from '../util/bytes.ts'
import { MAX_LEAF_SIZE } from '../constants.ts'

/**
 * Pack the parts of a stream into leaves (docs/format.md, section 2). Whole parts share a
 * leaf up to 1 MiB. A larger part is split over leaves of its own, and the last of them is
 * not shared. So reading a frame fetches one block, or as few as its length allows.
 */
export async function * packLeaves (parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = []
  let length = 0

  for await (const part of parts) {
    if (length > 0 && length + part.byteLength > MAX_LEAF_SIZE) {
      yield concat(pending)
      pending = []
      length = 0
    }

    if (part.byteLength > MAX_LEAF_SIZE) {
      for (let start = 0; start < part.byteLength; start += MAX_LEAF_SIZE) {
        yield part.subarray(start, start + MAX_LEAF_SIZE)
      }
    } else {
      pending.push(part)
      length += part.byteLength
    }
  }

  if (length > 0) {
    yield concat(pending)
  }
}
