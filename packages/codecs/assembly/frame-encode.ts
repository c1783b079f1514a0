/** A zstd frame of one segment with a checksum (RFC 8878, section 3.1.1), made of copies and what is in none. */
import { lengthOf, offsetOf, startOf } from './copies'
import { forgetCode, keepCode, writeLiterals } from './literals-encode'
import { all, contentStart, copies, MAX_BLOCK, room, size } from './memory'
import { MIN_MATCH } from './sequence-codes'
import { addSequence, clearSequences, forgetTables, keepTables, writeSequences } from './sequences-encode'
import { xxh64Low } from './xxh64'

const MAGIC: u32 = 0xfd2fb528
const SINGLE_SEGMENT: i32 = 0x20
const CHECKSUM: i32 = 0x04

const BLOCK_HEADER: i32 = 3
/** Types of blocks (section 3.1.1.2.2). */
const RAW_BLOCK: i32 = 0
const COMPRESSED_BLOCK: i32 = 2

/** What is in no copy of a block. */
const literals = memory.data(MAX_BLOCK)
let literalCount: i32 = 0

/** Where the next byte of the frame goes. */
let at: usize = 0
/** Where the block begins, and what of it the sequences so far say. Counted as all places are. */
let blockStart: i32 = 0
let position: i32 = 0
/** The offsets that may be repeated (section 3.1.1.5), and those from before the block. */
let first: i32 = 0
let second: i32 = 0
let third: i32 = 0
let firstBefore: i32 = 0
let secondBefore: i32 = 0
let thirdBefore: i32 = 0

/**
 * Encode the content.
 *
 * @param count - how many copies there are, in the order of their places, which do not overlap
 * @param dictionaryEnd - where the dictionary ends that a reader has
 * @returns the length of the frame, which is in `room`
 */
export function encodeFrame (count: i32, dictionaryEnd: i32): i32 {
  at = room
  writeFrameHeader(size - contentStart)
  forgetCode()
  forgetTables()
  firstBefore = 1
  secondBefore = 4
  thirdBefore = 8
  beginBlock(contentStart)

  for (let i = 0; i < count; i++) {
    const start = startOf(copies, i)
    const offset = offsetOf(copies, i)
    // what is in the dictionary is nearer if that ends earlier
    const isOld = offset > start - contentStart
    addCopy(start, lengthOf(copies, i), isOld ? offset - (contentStart - dictionaryEnd) : offset)
  }

  for (let start = blockStart; start < size;) {
    start = endBlock(min(size, start + MAX_BLOCK))
  }

  store<u32>(at, xxh64Low(contentStart, size - contentStart))

  return i32(at - room) + 4
}

function writeFrameHeader (contentSize: i32): void {
  const bytes = contentSize < 256 ? 1 : contentSize < 65_536 + 256 ? 2 : 4
  store<u32>(at, MAGIC)
  store<u8>(at, SINGLE_SEGMENT | CHECKSUM | bytes >> 1 << 6, 4)
  store<u32>(at, bytes === 2 ? contentSize - 256 : contentSize, 5)
  at += 5 + bytes
}

/** Add a copy to its block, or in parts to those where it is. */
function addCopy (start: i32, length: i32, offset: i32): void {
  let block = blockStart

  // there has to be room for a match
  while (start - block > MAX_BLOCK - MIN_MATCH) {
    block = endBlock(min(start, block + MAX_BLOCK))
  }

  while (start + length > block + MAX_BLOCK) {
    // what is left of it has to be a match too
    const part = min(block + MAX_BLOCK - start, length - MIN_MATCH)

    if (part >= MIN_MATCH) {
      addMatch(start, part, offset)
      start += part
      length -= part
    }

    block = endBlock(start)
  }

  addMatch(start, length, offset)
}

function addMatch (start: i32, length: i32, offset: i32): void {
  const literalLength = start - position
  addLiterals(start)
  addSequence(literalLength, storedOffset(offset, literalLength), length)
  position = start + length
}

/** Add what is in no copy. */
function addLiterals (end: i32): void {
  memory.copy(literals + literalCount, all + position, end - position)
  literalCount += end - position
}

/** An offset as it is stored. Afterwards, it may be repeated (section 3.1.1.5). */
function storedOffset (offset: i32, literalLength: i32): i32 {
  if (literalLength > 0 && offset === first) {
    return 1
  }

  // without literals, the first would only continue the match before, and all numbers move on by one
  const shift = literalLength === 0 ? 1 : 0
  let stored = offset + 3

  if (offset === second) {
    second = first
    first = offset

    return 2 - shift
  }

  if (offset === third) {
    stored = 3 - shift
  } else if (shift === 1 && offset === first - 1) {
    stored = 3
  }

  third = second
  second = first
  first = offset

  return stored
}

function beginBlock (start: i32): void {
  blockStart = start
  position = start
  literalCount = 0
  first = firstBefore
  second = secondBefore
  third = thirdBefore
  clearSequences()
}

/**
 * Write the block up to a place.
 *
 * @returns where the next one begins
 */
function endBlock (end: i32): i32 {
  const isLast = end === size ? 1 : 0
  const length = end - blockStart
  addLiterals(end)
  const start = at + BLOCK_HEADER
  const compressed = i32(writeSequences(writeLiterals(start, literals, literalCount)) - start)

  if (compressed < length) {
    writeBlockHeader(isLast, COMPRESSED_BLOCK, compressed)
    at = start + compressed
    keepCode()
    keepTables()
    firstBefore = first
    secondBefore = second
    thirdBefore = third
  } else {
    writeBlockHeader(isLast, RAW_BLOCK, length)
    memory.copy(start, all + blockStart, length)
    at = start + length
  }

  beginBlock(end)

  return end
}

function writeBlockHeader (isLast: i32, type: i32, length: i32): void {
  const header = isLast | type << 1 | length << 3
  store<u16>(at, header)
  store<u8>(at, header >> 16, 2)
}
