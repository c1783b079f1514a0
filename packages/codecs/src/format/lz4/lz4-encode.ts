import { COPY_BY_ENGINE, LONG, MIN_MATCH } from './lz4-block.ts'

/** The last bytes of a block are literals (LZ4 Block Format, "End of block conditions"). */
const LAST_LITERALS = 5
/** No match may begin closer to the end than this: the reference decoder refuses such blocks. */
const MATCH_LIMIT = 12
const MAX_OFFSET = 65535
const HASH_LOG = 14

/** Compress into a new LZ4 block, see {@link encodeLz4Block}. */
export function compressLz4Block (source: Uint8Array): Uint8Array {
  // the worst case for any input
  const target = new Uint8Array(source.byteLength + Math.floor(source.byteLength / 255) + 16)

  return target.subarray(0, encodeLz4Block(source, target))
}

/**
 * Compress into one LZ4 block, greedily and with one hash table, like the fast mode of the
 * reference implementation.
 *
 * (lz4js starts matches in the last 12 bytes, and the `lz4` tool refuses such blocks.)
 *
 * @param target - at least `length + length / 255 + 16` bytes, which is enough for any input
 * @returns the length of the block in `target`
 */
function encodeLz4Block (source: Uint8Array, target: Uint8Array): number {
  const table = new Int32Array(1 << HASH_LOG)
  const lastMatch = source.byteLength - MATCH_LIMIT
  const matchEnd = source.byteLength - LAST_LITERALS
  let anchor = 0
  let position = 0
  let to = 0

  while (position <= lastMatch) {
    const sequence = readSequence(source, position)
    const slot = hash(sequence)
    let match = table[slot]
    table[slot] = position

    if (match >= position || position - match > MAX_OFFSET || readSequence(source, match) !== sequence) {
      // take larger steps the longer nothing matches
      position += 1 + (position - anchor >> 6)
      continue
    }

    while (position > anchor && match > 0 && source[position - 1] === source[match - 1]) {
      position--
      match--
    }

    const offset = position - match
    let end = position + MIN_MATCH

    while (end < matchEnd && source[end] === source[end - offset]) {
      end++
    }

    to = writeSequence(target, to, source, { anchor, position, offset, length: end - position })
    anchor = end
    position = end

    if (position <= lastMatch) {
      table[hash(readSequence(source, position - 2))] = position - 2
    }
  }

  return writeLiterals(target, to, source, { start: anchor, end: source.byteLength, matchToken: 0 })
}

function readSequence (source: Uint8Array, position: number): number {
  return source[position] | source[position + 1] << 8 | source[position + 2] << 16 | source[position + 3] << 24
}

/** Fibonacci hashing, as in the reference implementation. */
function hash (sequence: number): number {
  return Math.imul(sequence, 0x9e3779b1) >>> 32 - HASH_LOG
}

/** Literals, and a match after them. */
interface Sequence {
  /** Where the literals begin. */
  anchor: number
  /** Where they end, and the match begins. */
  position: number
  /** How far back the match is copied from. */
  offset: number
  /** Bytes of the match. */
  length: number
}

function writeSequence (
  target: Uint8Array,
  to: number,
  source: Uint8Array,
  { anchor, position, offset, length }: Sequence
): number {
  const matchLength = length - MIN_MATCH
  const matchToken = Math.min(matchLength, LONG)

  to = writeLiterals(target, to, source, { start: anchor, end: position, matchToken })
  target[to++] = offset
  target[to++] = offset >> 8

  return matchLength < LONG ? to : writeLength(target, to, matchLength - LONG)
}

interface Literals {
  start: number
  /** Exclusive. */
  end: number
  /** The part of the token that is the length of the match. */
  matchToken: number
}

/** Write a token and literals. */
function writeLiterals (target: Uint8Array, to: number, source: Uint8Array, literals: Literals): number {
  const { end, matchToken } = literals
  let { start } = literals
  const length = end - start

  target[to++] = Math.min(length, LONG) << 4 | matchToken

  if (length >= LONG) {
    to = writeLength(target, to, length - LONG)
  }

  if (length > COPY_BY_ENGINE) {
    target.set(source.subarray(start, end), to)

    return to + length
  }

  while (start < end) {
    target[to++] = source[start++]
  }

  return to
}

function writeLength (target: Uint8Array, to: number, rest: number): number {
  while (rest >= 255) {
    target[to++] = 255
    rest -= 255
  }

  target[to++] = rest

  return to
}
