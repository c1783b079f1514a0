/** Huffman codes for literals (RFC 8878, section 4.2). */
import { beginBits, closeBits, writeBits } from './bit-writer'
import { buildStates, encodeSymbol, ENCODER_SIZE, lastState, writeState } from './fse-encoder'
import { countSymbols, isOneSymbol, normalize, TOO_MUCH, writeDescription } from './fse-probabilities'
import { countOf, depthOf, findDepths, symbolAt, SYMBOLS } from './huffman-depths'

/** From this header byte on, the weights are not compressed, and their number is the byte minus 127. */
const DIRECT: i32 = 128
/** The most weights that are listed so. */
const MAX_DIRECT: i32 = 128
/** The largest accuracy of the table for the weights. */
const MAX_WEIGHTS_ACCURACY: i32 = 6

/*
 * A code has the length of the description of its tree, and that. Then come the length of each symbol's code, which is
 * zero if it does not occur, and the codes.
 */
const DESCRIPTION: usize = 4
const MAX_DESCRIPTION: usize = 256
const LENGTHS: usize = DESCRIPTION + MAX_DESCRIPTION
const CODES: usize = LENGTHS + SYMBOLS
/** Bytes of a code. */
export const CODE_SIZE: i32 = i32(CODES) + 2 * SYMBOLS

const weights = memory.data(SYMBOLS)
const encoder = memory.data(ENCODER_SIZE, 8)
/** A description, with the seven bytes that may change after it: 255 weights of six bits take fewer. */
const compressed = memory.data(512)

function lengthOf (code: usize, symbol: i32): i32 {
  return i32(load<u8>(code + symbol, LENGTHS))
}

/**
 * Build a code for the literals that were counted.
 *
 * @returns false if fewer than two symbols occur, or the tree cannot be described
 */
export function buildCode (code: usize): bool {
  const used = findDepths()

  if (used < 2) {
    return false
  }

  memory.fill(code, 0, CODE_SIZE)
  let longest = 0

  for (let i = 0; i < used; i++) {
    store<u8>(code + symbolAt(i), depthOf(i), LENGTHS)
    longest = max(longest, depthOf(i))
  }

  setCodes(code, longest)

  return describe(code, longest)
}

/** The bits that the literals take with a code. */
export function costOfCode (code: usize): i32 {
  let bits = 0

  for (let symbol = 0; symbol < SYMBOLS; symbol++) {
    const count = countOf(symbol)
    const length = lengthOf(code, symbol)

    if (count > 0 && length === 0) {
      return TOO_MUCH
    }

    bits += count * length
  }

  return bits
}

/** Bytes that the description of a code takes. */
export function descriptionLength (code: usize): i32 {
  return load<i32>(code)
}

/** @returns where it ends */
export function writeTree (to: usize, code: usize): usize {
  memory.copy(to, code + DESCRIPTION, descriptionLength(code))

  return to + descriptionLength(code)
}

/**
 * Write a stream of literals, from the last to the first.
 *
 * @returns where it ends
 */
export function writeStream (to: usize, code: usize, literals: usize, length: i32): usize {
  beginBits(to)

  for (let i = length - 1; i >= 0; i--) {
    const symbol = usize(load<u8>(literals + i))
    writeBits(load<u16>(code + 2 * symbol, CODES), load<u8>(code + symbol, LENGTHS))
  }

  return closeBits()
}

/** Longer codes first, then by symbol (section 4.2.1.3). */
function setCodes (code: usize, longest: i32): void {
  let next = 0

  for (let length = longest; length > 0; length--) {
    for (let symbol = 0; symbol < SYMBOLS; symbol++) {
      if (lengthOf(code, symbol) === length) {
        store<u16>(code + 2 * symbol, next++, CODES)
      }
    }

    next >>= 1
  }
}

/**
 * Describe the tree in the shorter of both ways.
 *
 * @returns false if neither can
 */
function describe (code: usize, longest: i32): bool {
  // that of the last symbol follows from the others
  const count = lastSymbol(code)

  for (let symbol = 0; symbol < count; symbol++) {
    const length = lengthOf(code, symbol)
    store<u8>(weights + symbol, length === 0 ? 0 : longest + 1 - length)
  }

  const length = compressWeights(count)
  const direct = count > MAX_DIRECT ? TOO_MUCH : (count + 1) >> 1

  if (length < direct) {
    store<i32>(code, length + 1)
    store<u8>(code, length, DESCRIPTION)
    memory.copy(code + DESCRIPTION + 1, compressed, length)
    return true
  }

  if (direct === TOO_MUCH) {
    return false
  }

  store<i32>(code, direct + 1)
  store<u8>(code, DIRECT - 1 + count, DESCRIPTION)

  for (let i = 0; i < direct; i++) {
    const second = 2 * i + 1 < count ? load<u8>(weights + 2 * i + 1) : 0
    store<u8>(code + i, load<u8>(weights + 2 * i) << 4 | second, DESCRIPTION + 1)
  }

  return true
}

function lastSymbol (code: usize): i32 {
  let last = SYMBOLS - 1

  while (lengthOf(code, last) === 0) {
    last--
  }

  return last
}

/**
 * Compress weights with two alternating states (section 4.2.1.2).
 *
 * @returns the length, which is too large if that cannot be done
 */
function compressWeights (count: i32): i32 {
  countSymbols(weights, count)

  // a table of one symbol would have no bits, and so no end
  if (count < 3 || isOneSymbol()) {
    return TOO_MUCH
  }

  normalize(encoder, MAX_WEIGHTS_ACCURACY)
  buildStates(encoder)
  const streams = writeDescription(compressed, encoder)
  beginBits(streams)
  // the first weight is of the first state, and so on in turns
  let state = lastState(encoder, weightOf(count - 1))
  let other = lastState(encoder, weightOf(count - 2))

  for (let i = count - 3; i >= 0; i--) {
    const next = encodeSymbol(encoder, weightOf(i), state)
    state = other
    other = next
  }

  // `state` is that of the second weight, and so written before that of the first
  writeState(encoder, state)
  writeState(encoder, other)
  const length = i32(closeBits() - compressed)

  return length < DIRECT ? length : TOO_MUCH
}

function weightOf (symbol: i32): i32 {
  return i32(load<u8>(weights + symbol))
}
