import { writeUint32 } from '../bytes/little-endian.ts'
import { xxh64Low } from '../checksums/xxh64.ts'

const SINGLE_SEGMENT = 0x20
const CHECKSUM = 0x04
/** The position of the descriptor, after the magic number. The window follows, if the frame is not a single segment. */
const DESCRIPTOR = 4

/**
 * Make a frame as `checkZstdFrame` demands it with a dictionary, of one without a checksum: add the
 * checksum, and let the window hold all of the content (RFC 8878, section 3.1.1.1.1). A larger
 * window changes nothing else: matches still reach only as far as they did.
 *
 * For encoders that can set neither.
 *
 * @param frame - has a content size
 */
export function toDictionaryFrame (frame: Uint8Array, content: Uint8Array): Uint8Array {
  const start = (frame[DESCRIPTOR] & SINGLE_SEGMENT) === 0 ? DESCRIPTOR + 2 : DESCRIPTOR + 1
  const rest = frame.subarray(start)
  const result = new Uint8Array(DESCRIPTOR + 1 + rest.byteLength + 4)

  result.set(frame.subarray(0, DESCRIPTOR))
  result[DESCRIPTOR] = frame[DESCRIPTOR] | SINGLE_SEGMENT | CHECKSUM
  result.set(rest, DESCRIPTOR + 1)
  writeUint32(result, result.byteLength - 4, xxh64Low(content))

  return result
}
