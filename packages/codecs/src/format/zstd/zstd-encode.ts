import { writeUint32 } from '../bytes/little-endian.ts'
import { COMPRESSED_BLOCK, FIRST_OFFSETS, MAX_BLOCK, RAW_BLOCK } from './zstd-constants.ts'
import { MAGIC } from './zstd-frame.ts'
import { encodeLiterals } from './zstd-literals-encode.ts'
import { encodeSequences } from './zstd-sequences-encode.ts'
import type { HuffmanEncoder } from './zstd-huffman-encode.ts'
import type { Tables } from './zstd-sequences-encode.ts'

const BLOCK_HEADER = 3
const SINGLE_SEGMENT = 0x20
const CHECKSUM = 0x04
const MIN_MATCH = 3

/** Bytes of the content that are also elsewhere: before them, or in the dictionary. */
export interface Copy {
  /** Where they begin in the content. */
  start: number
  /** How many there are, at least 3. */
  length: number
  /** How far before `start` they also begin. The dictionary ends where the content begins. */
  offset: number
}

/** What blocks pass on to the next. */
interface State {
  offsets: readonly number[]
  huffman: HuffmanEncoder | undefined
  tables: Tables
}

/**
 * Encode a frame (RFC 8878, section 3.1.1) of one segment, with a checksum.
 *
 * @param content - at least one byte
 * @param copies - in the order of their places, which do not overlap. What is in none of them is stored as literals
 * @param checksum - the lower 32 bits of the content's XXH64
 */
export function encodeZstdFrame (content: Uint8Array, copies: readonly Copy[], checksum: number): Uint8Array {
  const parts: Uint8Array[] = [frameHeader(content.byteLength)]
  let state: State = { offsets: FIRST_OFFSETS, huffman: undefined, tables: [undefined, undefined, undefined] }

  for (const { start, end, copies: inBlock } of cutBlocks(content.byteLength, copies)) {
    const isLast = end === content.byteLength ? 1 : 0
    const block = encodeBlock(content.subarray(start, end), start, inBlock, state)
    const length = block.parts.reduce((sum, { byteLength }) => sum + byteLength, 0)

    if (length < end - start) {
      parts.push(blockHeader(isLast, COMPRESSED_BLOCK, length), ...block.parts)
      state = block.state
    } else {
      parts.push(blockHeader(isLast, RAW_BLOCK, end - start), content.subarray(start, end))
    }
  }

  const end = new Uint8Array(4)
  writeUint32(end, 0, checksum)

  return concat([...parts, end])
}

interface Block {
  start: number
  end: number
  copies: readonly Copy[]
}

/** Cut the content where blocks end, and the copies with it. */
function * cutBlocks (size: number, all: readonly Copy[]): Generator<Block> {
  let start = 0
  let copies: Copy[] = []

  for (const copy of all) {
    const { offset } = copy
    let { start: from, length: rest } = copy

    // there has to be room for a match
    while (from - start > MAX_BLOCK - MIN_MATCH) {
      const end = Math.min(from, start + MAX_BLOCK)
      yield { start, end, copies }
      start = end
      copies = []
    }

    while (from + rest > start + MAX_BLOCK) {
      // what is left of it has to be a match too
      const length = Math.min(start + MAX_BLOCK - from, rest - MIN_MATCH)

      if (length >= MIN_MATCH) {
        copies.push({ start: from, length, offset })
        from += length
        rest -= length
      }

      yield { start, end: from, copies }
      start = from
      copies = []
    }

    copies.push({ start: from, length: rest, offset })
  }

  while (start < size) {
    const end = Math.min(size, start + MAX_BLOCK)
    yield { start, end, copies }
    start = end
    copies = []
  }
}

/** A compressed block (RFC 8878, section 3.1.1.3). */
function encodeBlock (
  bytes: Uint8Array,
  start: number,
  copies: readonly Copy[],
  state: State
): { parts: Uint8Array[], state: State } {
  const literals: Uint8Array[] = []
  const literalLengths: number[] = []
  const matchLengths: number[] = []
  const offsets: number[] = []
  let recent = state.offsets
  let position = start

  for (const copy of copies) {
    const literalLength = copy.start - position
    literals.push(bytes.subarray(position - start, copy.start - start))
    literalLengths.push(literalLength)
    matchLengths.push(copy.length)
    const { stored, next } = storedOffset(copy.offset, literalLength, recent)
    offsets.push(stored)
    recent = next
    position = copy.start + copy.length
  }

  literals.push(bytes.subarray(position - start))
  const { parts: literalParts, huffman } = encodeLiterals(concat(literals), state.huffman)
  const { parts, tables } = encodeSequences({ literalLengths, offsets, matchLengths }, state.tables)

  return { parts: [...literalParts, ...parts], state: { offsets: recent, huffman, tables } }
}

/** An offset as it is stored, and those that may be repeated afterwards (RFC 8878, section 3.1.1.5). */
function storedOffset (
  offset: number,
  literalLength: number,
  recent: readonly number[]
): { stored: number, next: readonly number[] } {
  const [first, second, third] = recent

  if (literalLength > 0 && offset === first) {
    return { stored: 1, next: recent }
  }

  // without literals, the first would only continue the match before, and all numbers move on by one
  const shift = literalLength === 0 ? 1 : 0

  if (offset === second) {
    return { stored: 2 - shift, next: [second, first, third] }
  }

  if (offset === third || (shift === 1 && offset === first - 1)) {
    return { stored: offset === third ? 3 - shift : 3, next: [offset, first, second] }
  }

  return { stored: offset + 3, next: [offset, first, second] }
}

function frameHeader (size: number): Uint8Array {
  const bytes = size < 256 ? 1 : size < 65_536 + 256 ? 2 : 4
  const header = new Uint8Array(5 + bytes)
  writeUint32(header, 0, MAGIC)
  header[4] = SINGLE_SEGMENT | CHECKSUM | bytes >> 1 << 6
  const stored = bytes === 2 ? size - 256 : size

  for (let i = 0; i < bytes; i++) {
    header[5 + i] = stored >>> 8 * i
  }

  return header
}

function blockHeader (isLast: number, type: number, length: number): Uint8Array {
  const header = isLast | type << 1 | length << 3

  return Uint8Array.from({ length: BLOCK_HEADER }, (_, i) => header >> 8 * i)
}

function concat (parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let position = 0

  for (const part of parts) {
    bytes.set(part, position)
    position += part.byteLength
  }

  return bytes
}
