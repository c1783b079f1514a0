import { concat } from '@ipfsz/utils/bytes'
import { MAX_INLINE_SIZE, MAX_LEAF_SIZE } from '../constants.ts'

/**
 * Pack the parts of a stream into leaves (docs/format.md, section 2). Whole parts share a
 * leaf up to `leafSize`. A larger part has a leaf of its own, or is split over several of 1 MiB.
 * So reading a frame fetches one block, or as few as its length allows.
 */
export async function * packLeaves (
  parts: AsyncIterable<Uint8Array>,
  leafSize = MAX_LEAF_SIZE
): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = []
  let length = 0

  for await (const part of parts) {
    if (length > 0 && length + part.byteLength > leafSize) {
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

/**
 * Make each part of a stream a leaf, so that streams with a part in common have a leaf in common. The
 * parts have at most 1 MiB. A stream of at most 64 KiB stays in one leaf, to be stored in the root.
 */
export async function * leafPerPart (parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pending: Uint8Array[] = []
  let length = 0

  for await (const part of parts) {
    if (length > MAX_INLINE_SIZE) {
      yield part
      continue
    }

    pending.push(part)
    length += part.byteLength

    if (length > MAX_INLINE_SIZE) {
      yield * pending
    }
  }

  if (length > 0 && length <= MAX_INLINE_SIZE) {
    yield concat(pending)
  }
}
