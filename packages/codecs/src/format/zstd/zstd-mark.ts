import { afterWindow, DESCRIPTOR, SINGLE_SEGMENT } from './zstd-descriptor.ts'

/**
 * A block that decodes to nothing. Its Huffman code has all 256 symbols with 8 bits each, and codes no literal. Every
 * decoder takes it, except fzstd, which counts the codes of a length in one byte.
 */
const MARK = Uint8Array.of(
  // not the last block, compressed, of 12 bytes
  0x64, 0x00, 0x00,
  // one stream of 8 bytes for 0 literals, with a code of its own
  0x02, 0x00, 0x02,
  // 6 bytes: the distribution (31 of 32 for the weight 1), and two states that give it 255 times
  0x06, 0x10, 0xf0, 0x01, 0x00, 0xc2, 0x07,
  // an empty stream, and no sequences
  0x01, 0x00
)

/** The first byte of a header with a checksum, a window, and 4 bytes for the size of the content. */
const LONG_HEADER = 0x84

/**
 * Begin the blocks of a frame that needs a dictionary with one that makes fzstd fail: it checks neither offsets nor
 * checksums, and would return other bytes.
 *
 * @param frame - with a checksum, and without a dictionary id
 * @returns a copy
 */
export function mark (frame: Uint8Array): Uint8Array {
  const position = firstBlock(frame)
  const header = widen(frame.subarray(0, position))
  const marked = new Uint8Array(header.byteLength + MARK.byteLength + frame.byteLength - position)

  marked.set(header)
  marked.set(MARK, header.byteLength)
  marked.set(frame.subarray(position), header.byteLength + MARK.byteLength)

  return marked
}

/** The position after the header (RFC 8878, section 3.1.1.1). */
function firstBlock (frame: Uint8Array): number {
  const flag = frame[DESCRIPTOR] >> 6
  const sizeLength = flag === 0 ? (frame[DESCRIPTOR] & SINGLE_SEGMENT) / SINGLE_SEGMENT : 1 << flag

  return afterWindow(frame) + sizeLength
}

/** A header with a window of 1 KiB, if the window would be smaller than the mark: no block may exceed it. */
function widen (header: Uint8Array): Uint8Array {
  const isSmall = header.byteLength === DESCRIPTOR + 2 && header[DESCRIPTOR + 1] < MARK.byteLength

  return isSmall
    ? Uint8Array.of(...header.subarray(0, DESCRIPTOR), LONG_HEADER, 0, header[DESCRIPTOR + 1], 0, 0, 0)
    : header
}
