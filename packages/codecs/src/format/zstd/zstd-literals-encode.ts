import { COMPRESSED_LITERALS, RAW_LITERALS, RLE_LITERALS, TREELESS_LITERALS } from './zstd-constants.ts'
import { createHuffmanEncoder, encodeStream, huffmanCost } from './zstd-huffman-encode.ts'
import type { HuffmanEncoder } from './zstd-huffman-encode.ts'

/** Fewer literals are stored as they are: a Huffman tree would take what it saves. */
const MIN_COMPRESSED = 32
/** More literals are in four streams. */
const MAX_IN_ONE_STREAM = 1023
const JUMP_TABLE = 6

/** Literals of a block as they are stored, and the Huffman code that the next block may use. */
export interface EncodedLiterals {
  parts: readonly Uint8Array[]
  huffman: HuffmanEncoder | undefined
}

/**
 * Encode the literals of a block (RFC 8878, section 3.1.1.3.1).
 *
 * @param before - the Huffman code of the blocks before
 */
export function encodeLiterals (literals: Uint8Array, before: HuffmanEncoder | undefined): EncodedLiterals {
  const size = literals.byteLength

  if (size > 1 && literals.every(byte => byte === literals[0])) {
    return { parts: [plainHeader(RLE_LITERALS, size), literals.subarray(0, 1)], huffman: before }
  }

  const plain = { parts: [plainHeader(RAW_LITERALS, size), literals], huffman: before }

  if (size < MIN_COMPRESSED) {
    return plain
  }

  const counts = new Uint32Array(256)

  for (let i = 0; i < size; i++) {
    counts[literals[i]]++
  }

  const own = createHuffmanEncoder(counts)
  const ownCost = own == null ? Infinity : huffmanCost(counts, own) + 8 * own.description.byteLength
  const beforeCost = before == null ? Infinity : huffmanCost(counts, before)
  const reuses = beforeCost <= ownCost
  const huffman = reuses ? before : own

  // a tree of all bytes alike cannot be described, and the one before may lack some of them
  if (huffman == null || Math.min(beforeCost, ownCost) === Infinity) {
    return plain
  }

  const streams = size > MAX_IN_ONE_STREAM ? encodeFour(huffman, literals) : [encodeStream(huffman, literals)]
  const content = reuses ? streams : [huffman.description, ...streams]
  const length = content.reduce((sum, { byteLength }) => sum + byteLength, 0)

  return length >= size
    ? plain
    : { parts: [compressedHeader(reuses ? TREELESS_LITERALS : COMPRESSED_LITERALS, size, length), ...content], huffman }
}

/** Four streams, each of a quarter, after their lengths (RFC 8878, section 4.2.2). */
function encodeFour (huffman: HuffmanEncoder, literals: Uint8Array): Uint8Array[] {
  const quarter = literals.byteLength + 3 >> 2
  const streams = [0, 1, 2, 3].map(i => encodeStream(huffman, literals.subarray(i * quarter, (i + 1) * quarter)))
  const jumps = new Uint8Array(JUMP_TABLE)
  const view = new DataView(jumps.buffer)

  for (let i = 0; i < 3; i++) {
    view.setUint16(2 * i, streams[i].byteLength, true)
  }

  return [jumps, ...streams]
}

function plainHeader (type: number, size: number): Uint8Array {
  if (size < 32) {
    return Uint8Array.of(type | size << 3)
  }

  return size < 4096
    ? Uint8Array.of(type | 1 << 2 | size << 4, size >> 4)
    : Uint8Array.of(type | 3 << 2 | size << 4, size >> 4, size >> 12)
}

function compressedHeader (type: number, size: number, length: number): Uint8Array {
  const most = Math.max(size, length)
  const format = size <= MAX_IN_ONE_STREAM ? 0 : most < 1024 ? 1 : most < 16_384 ? 2 : 3
  const bytes = format < 2 ? 3 : format + 2
  const bits = bytes * 4 - 2
  // up to 40 bits
  let header = type + format * 4 + size * 16 + length * 2 ** (4 + bits)

  return Uint8Array.from({ length: bytes }, () => {
    const byte = header % 256
    header = Math.floor(header / 256)

    return byte
  })
}
