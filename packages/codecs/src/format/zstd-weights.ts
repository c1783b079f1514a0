import { CorruptFrameError } from '../errors.ts'

const COMPRESSED_LITERALS = 2
/** Bytes of the header of such literals, by its size format (RFC 8878, section 3.1.1.3.1.1). */
const HEADER_LENGTHS = [3, 3, 4, 5]
/** From this header byte on the weights of the Huffman tree are there as they are. */
const DIRECT_WEIGHTS = 128
/** A probability of 0 is followed by how many more of them there are, and by another such number after this one. */
const MORE_ZEROS = 3

/**
 * Refuse a compressed block whose Huffman weights are coded with one symbol of
 * probability 1: each takes no bits, so their number has no end. fzstd then
 * decodes weights for ever.
 *
 * @throws {CorruptFrameError}
 */
export function checkHuffmanWeights (block: Uint8Array): void {
  if (block.byteLength === 0 || (block[0] & 3) !== COMPRESSED_LITERALS) {
    return
  }

  const tree = block.subarray(HEADER_LENGTHS[block[0] >> 2 & 3])

  if (tree.byteLength > 1 && tree[0] < DIRECT_WEIGHTS && isOneSymbol(tree.subarray(1))) {
    throw new CorruptFrameError('zstd', 'its Huffman weights have no end')
  }
}

/**
 * Whether an FSE table description (RFC 8878, section 4.1.1) gives the first symbol
 * that occurs all of the probability. While none has occurred, a value is read from
 * one bit more than the accuracy: all ones is everything, a lower part of 1 is 0.
 */
function isOneSymbol (description: Uint8Array): boolean {
  const accuracy = (description[0] & 15) + 5
  const everything = (1 << accuracy + 1) - 1
  let position = 4

  while (position < description.byteLength * 8) {
    const value = readBits(description, position, accuracy + 1)

    if ((value & everything >> 1) !== 1) {
      return value === everything
    }

    position += accuracy
    let zeros = MORE_ZEROS

    while (zeros === MORE_ZEROS) {
      zeros = readBits(description, position, 2)
      position += 2
    }
  }

  return false
}

/** Bits from the lowest on; behind the end they are 0. */
function readBits (bytes: Uint8Array, position: number, count: number): number {
  let value = 0

  for (let i = 0; i < count; i++) {
    const at = position + i
    value |= ((bytes[at >> 3] ?? 0) >> (at & 7) & 1) << i
  }

  return value
}
