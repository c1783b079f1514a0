import { writeUint32 } from '../bytes/little-endian.ts'
import { xxh64Low } from '../checksums/xxh64.ts'
import { afterWindow, DESCRIPTOR, SINGLE_SEGMENT } from './zstd-descriptor.ts'
import { mark } from './zstd-mark.ts'

const CHECKSUM = 0x04

/**
 * Make a frame as `checkZstdFrame` demands it with a dictionary, of one without a checksum: add the
 * checksum and the mark, and let the window hold all of the content (RFC 8878, section 3.1.1.1.1). A larger
 * window changes nothing else: matches still reach only as far as they did.
 *
 * For encoders that can set neither.
 *
 * @param frame - has a content size
 */
export function toDictionaryFrame (frame: Uint8Array, content: Uint8Array): Uint8Array {
  const rest = frame.subarray(afterWindow(frame))
  const result = new Uint8Array(DESCRIPTOR + 1 + rest.byteLength + 4)

  result.set(frame.subarray(0, DESCRIPTOR))
  result[DESCRIPTOR] = frame[DESCRIPTOR] | SINGLE_SEGMENT | CHECKSUM
  result.set(rest, DESCRIPTOR + 1)
  writeUint32(result, result.byteLength - 4, xxh64Low(content))

  return mark(result)
}
