/** Literals of a block (RFC 8878, section 3.1.1.3.1.1). */
import { TOO_MUCH } from './fse-probabilities'
import { countLiterals } from './huffman-depths'
import { buildCode, CODE_SIZE, costOfCode, descriptionLength, writeStream, writeTree } from './huffman-encode'

const RAW: i32 = 0
const RLE: i32 = 1
const COMPRESSED: i32 = 2
/** With the Huffman code of a block before. */
const TREELESS: i32 = 3

/** Fewer literals are stored as they are: a Huffman tree would take what it saves. */
const MIN_COMPRESSED: i32 = 32
/** More literals are in four streams. */
const MAX_IN_ONE_STREAM: i32 = 1023
const JUMP_TABLE: usize = 6

/** The code that the next block may use again, and the one that this block has made. */
let kept = memory.data(CODE_SIZE, 4)
let own = memory.data(CODE_SIZE, 4)
let hasKept: bool = false
let isOwnUsed: bool = false

/** Begin a frame. */
export function forgetCode (): void {
  hasKept = false
}

/** The block is stored compressed: later ones may use its code. */
export function keepCode (): void {
  if (isOwnUsed) {
    const before = kept
    kept = own
    own = before
    hasKept = true
  }
}

/**
 * Write literals.
 *
 * @returns where they end
 */
export function writeLiterals (to: usize, literals: usize, size: i32): usize {
  isOwnUsed = false

  if (size > 1 && isOneByte(literals, size)) {
    const start = writePlainHeader(to, RLE, size)
    store<u8>(start, load<u8>(literals))

    return start + 1
  }

  const end: usize = size < MIN_COMPRESSED ? 0 : writeCompressed(to, literals, size)

  if (end > 0) {
    return end
  }

  const start = writePlainHeader(to, RAW, size)
  memory.copy(start, literals, size)

  return start + size
}

/**
 * Write literals with a Huffman code.
 *
 * @returns zero if that takes no fewer bytes. Then nothing is kept
 */
function writeCompressed (to: usize, literals: usize, size: i32): usize {
  countLiterals(literals, size)
  const ownCost = buildCode(own) ? costOfCode(own) + 8 * descriptionLength(own) : TOO_MUCH
  const keptCost = hasKept ? costOfCode(kept) : TOO_MUCH
  const reuses = keptCost <= ownCost

  // a tree of all bytes alike cannot be described, and the one before may lack some of them
  if (min(ownCost, keptCost) === TOO_MUCH) {
    return 0
  }

  const code = reuses ? kept : own
  const header = size <= MAX_IN_ONE_STREAM ? 3 : size < 16_384 ? 4 : 5
  const start = to + header
  const streams = reuses ? start : writeTree(start, code)
  const end = size > MAX_IN_ONE_STREAM
    ? writeFour(streams, code, literals, size)
    : writeStream(streams, code, literals, size)
  const length = i32(end - start)

  if (length >= size) {
    return 0
  }

  writeHeader(to, header, reuses ? TREELESS : COMPRESSED, size, length)
  isOwnUsed = !reuses

  return end
}

function isOneByte (literals: usize, size: i32): bool {
  let same = 1

  while (same < size && load<u8>(literals + same) === load<u8>(literals)) {
    same++
  }

  return same === size
}

/** Four streams, each of a quarter, after the lengths of three (section 4.2.2). */
function writeFour (to: usize, code: usize, literals: usize, size: i32): usize {
  const quarter = (size + 3) >> 2
  let start = to + JUMP_TABLE

  for (let i = 0; i < 3; i++) {
    const end = writeStream(start, code, literals + i * quarter, quarter)
    store<u16>(to + 2 * i, i32(end - start))
    start = end
  }

  return writeStream(start, code, literals + 3 * quarter, size - 3 * quarter)
}

function writePlainHeader (to: usize, type: i32, size: i32): usize {
  if (size < 32) {
    store<u8>(to, type | size << 3)

    return to + 1
  }

  if (size < 4096) {
    store<u16>(to, type | 1 << 2 | size << 4)

    return to + 2
  }

  store<u32>(to, type | 3 << 2 | size << 4)

  return to + 3
}

function writeHeader (to: usize, bytes: i32, type: i32, size: i32, length: i32): void {
  const format = bytes === 3 ? 0 : bytes - 2
  const bits = bytes * 4 - 2
  const header = u64(type) | u64(format) << 2 | u64(size) << 4 | u64(length) << (4 + bits)

  for (let i = 0; i < bytes; i++) {
    store<u8>(to + i, u8(header >>> (8 * i)))
  }
}
