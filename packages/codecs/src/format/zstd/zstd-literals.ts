import { readUint32 } from '../bytes/little-endian.ts'
import { COMPRESSED_LITERALS, RAW_LITERALS, RLE_LITERALS } from './zstd-constants.ts'
import { corrupt } from './zstd-frame.ts'
import { createHuffmanTable, readHuffmanTable } from './zstd-huffman.ts'
import { decodeFourStreams, decodeStream } from './zstd-streams.ts'
import type { FramePart } from './zstd-fse.ts'
import type { HuffmanTable } from './zstd-huffman.ts'

/** Extra bytes after the literals, so that several bytes can be copied at once. */
const SLACK = 16

export interface CompressedBlock extends FramePart {
  /** Of the frame. */
  view: DataView
  /** Where its output ends at the latest. */
  limit: number
}

/** The literals of a block, and the Huffman code, which the next block may reuse. */
export interface Literals {
  readonly bytes: Uint8Array
  readonly view: DataView
  length: number
  /** The position in the frame after the literals. */
  end: number
  readonly table: HuffmanTable
}

export function createLiterals (max: number): Literals {
  const bytes = new Uint8Array(max + SLACK)

  return { bytes, view: new DataView(bytes.buffer), length: 0, end: 0, table: createHuffmanTable() }
}

/**
 * Decode the literals at the start of a compressed block (RFC 8878, section 3.1.1.3.1).
 *
 * @param max - maximum number of literals
 * @throws {CorruptFrameError}
 */
export function readLiterals (literals: Literals, block: CompressedBlock, max: number): void {
  const { frame, start, end } = block

  if (start >= end) {
    throw corrupt('a block is empty')
  }

  const type = frame[start] & 3

  if (type === RAW_LITERALS || type === RLE_LITERALS) {
    readPlain(literals, block, max)
  } else {
    readCompressed(literals, block, max)
  }
}

/** Read raw literals, or a single repeated one (RLE). */
function readPlain (literals: Literals, { frame, start, end }: CompressedBlock, max: number): void {
  const format = frame[start] >> 2 & 3
  const header = (format & 1) === 0 ? 1 : format + 3 >> 1
  const number = frame[start] | frame[start + 1] << 8 | frame[start + 2] << 16
  const length = header === 1 ? frame[start] >> 3 : (number & (1 << header * 8) - 1) >> 4
  const from = start + header
  const rle = (frame[start] & 3) === RLE_LITERALS

  literals.length = checkLength(length, max)
  literals.end = from + (rle ? 1 : length)

  if (literals.end > end) {
    throw corrupt('literals are cut short')
  }

  if (rle) {
    literals.bytes.fill(frame[from], 0, length)
  } else {
    literals.bytes.set(frame.subarray(from, literals.end))
  }
}

function readCompressed (literals: Literals, { frame, view, start, end }: CompressedBlock, max: number): void {
  const format = frame[start] >> 2 & 3
  const header = format < 2 ? 3 : format + 2
  // the bits of each of the two lengths, which follow each other from the fourth bit on
  const bits = header * 4 - 2

  if (start + header > end) {
    throw corrupt('literals are cut short')
  }

  const low = readUint32(frame, start) >>> 4
  const mask = (1 << bits) - 1
  const length = low & mask
  // two lengths of 18 bits do not fit in 32 bits
  const compressed = (low >>> bits | (header === 5 ? frame[start + 4] << 10 : 0)) & mask
  let from = start + header

  literals.length = checkLength(length, max)
  literals.end = from + compressed

  if (literals.end > end) {
    throw corrupt('literals are cut short')
  }

  if ((frame[start] & 3) === COMPRESSED_LITERALS) {
    from = readHuffmanTable(literals.table, frame, from, literals.end)
  } else if (literals.table.bits === 0) {
    throw corrupt('literals use a Huffman code before there is one')
  }

  const decode = format === 0 ? decodeStream : decodeFourStreams
  decode(literals.table, { frame, view, start: from, end: literals.end }, literals.bytes, length)
}

function checkLength (length: number, max: number): number {
  if (length > max) {
    throw corrupt('a block has too many literals')
  }

  return length
}
