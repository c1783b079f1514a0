/** Sequences of a block (RFC 8878, section 3.1.1.3.2). */
import { beginBits, closeBits, writeBits } from './bit-writer'
import {
  buildStates, encodeSymbol, ENCODER_SIZE, lastState, setOnlySymbol, setProbabilities, writeState
} from './fse-encoder'
import {
  costOf, countSymbols, isOneSymbol, MIN_ACCURACY, normalize, PARTS, writeDescription
} from './fse-probabilities'
import { MAX_BLOCK } from './memory'
import {
  codeOf, extraBits, extraOf, LITERAL_LENGTH_ACCURACY, LITERAL_LENGTH_PROBABILITIES, LITERAL_LENGTHS,
  MATCH_LENGTH_ACCURACY, MATCH_LENGTH_PROBABILITIES, MATCH_LENGTHS, MIN_MATCH, OFFSET_ACCURACY, OFFSET_PROBABILITIES,
  OFFSETS
} from './sequence-codes'

const PARTS_OF_SEQUENCE: i32 = 3

/** Modes of tables (section 3.1.1.3.2.1). */
const PREDEFINED: i32 = 0
const RLE: i32 = 1
const DESCRIBED: i32 = 2
const REPEATED: i32 = 3

/** Counts from this one up take three bytes, and are stored less this number (section 3.1.1.3.2.1). */
const LONG_COUNT: i32 = 0x7f00
/** The most sequences of a block. */
const MAX_COUNT: i32 = MAX_BLOCK / MIN_MATCH + 1

/** For each part of the sequences, their values and the codes of these. */
const values = memory.data(PARTS_OF_SEQUENCE * 4 * MAX_COUNT, 4)
const codes = memory.data(PARTS_OF_SEQUENCE * MAX_COUNT)
let count: i32 = 0

/*
 * Encoders, for each part: the predefined one, the one that the next block may use again, one that this block
 * describes, and one for a single symbol.
 */
const ENCODERS: i32 = 4
const encoders = memory.data(PARTS_OF_SEQUENCE * ENCODERS * ENCODER_SIZE, 8)
/** Which of two is the one to use again, in turns with the one that is described: 1 or 2. */
const keptPlaces = memory.data(4 * PARTS_OF_SEQUENCE, 4)
const hasKept = memory.data(PARTS_OF_SEQUENCE)
/** The modes of this block. */
const modes = memory.data(PARTS_OF_SEQUENCE)

/** A description, with the seven bytes that may change after it. It has at most 53 probabilities of ten bits. */
const description = memory.data(128)

setProbabilities(encoderAt(LITERAL_LENGTHS, 0), LITERAL_LENGTH_ACCURACY, LITERAL_LENGTH_PROBABILITIES)
setProbabilities(encoderAt(OFFSETS, 0), OFFSET_ACCURACY, OFFSET_PROBABILITIES)
setProbabilities(encoderAt(MATCH_LENGTHS, 0), MATCH_LENGTH_ACCURACY, MATCH_LENGTH_PROBABILITIES)

function encoderAt (part: i32, place: i32): usize {
  return encoders + (part * ENCODERS + place) * ENCODER_SIZE
}

function keptPlace (part: i32): i32 {
  return load<i32>(keptPlaces + 4 * part)
}

/** Begin a frame. */
export function forgetTables (): void {
  for (let part = 0; part < PARTS_OF_SEQUENCE; part++) {
    store<i32>(keptPlaces + 4 * part, 1)
    store<bool>(hasKept + part, false)
  }
}

/** The block is stored compressed: later ones may use its tables. */
export function keepTables (): void {
  if (count === 0) {
    return
  }

  for (let part = 0; part < PARTS_OF_SEQUENCE; part++) {
    const mode = i32(load<u8>(modes + part))

    if (mode === DESCRIBED) {
      store<i32>(keptPlaces + 4 * part, 3 - keptPlace(part))
    }

    store<bool>(hasKept + part, mode >= DESCRIBED)
  }
}

/** Begin a block. */
export function clearSequences (): void {
  count = 0
}

/** @param offset - as it is stored: with those that repeat as 1 to 3 */
export function addSequence (literalLength: i32, offset: i32, matchLength: i32): void {
  setValue(LITERAL_LENGTHS, literalLength)
  setValue(OFFSETS, offset)
  setValue(MATCH_LENGTHS, matchLength)
  count++
}

function setValue (part: i32, value: i32): void {
  const place = part * MAX_COUNT + count
  store<i32>(values + 4 * place, value)
  store<u8>(codes + place, codeOf(part, value))
}

function codeAt (part: i32, i: i32): i32 {
  return i32(load<u8>(codes + part * MAX_COUNT + i))
}

/**
 * Write the sequences of a block.
 *
 * @returns where they end
 */
export function writeSequences (to: usize): usize {
  const start = writeCount(to)

  if (count === 0) {
    return start
  }

  let at = start + 1
  const literals = chooseTable(LITERAL_LENGTHS)
  at = describe(at, LITERAL_LENGTHS, literals)
  const offsets = chooseTable(OFFSETS)
  at = describe(at, OFFSETS, offsets)
  const matches = chooseTable(MATCH_LENGTHS)
  at = describe(at, MATCH_LENGTHS, matches)
  store<u8>(start, load<u8>(modes, LITERAL_LENGTHS) << 6 | load<u8>(modes, OFFSETS) << 4 |
    load<u8>(modes, MATCH_LENGTHS) << 2)

  const last = count - 1
  beginBits(at)
  let match = lastState(matches, codeAt(MATCH_LENGTHS, last))
  let offset = lastState(offsets, codeAt(OFFSETS, last))
  let literal = lastState(literals, codeAt(LITERAL_LENGTHS, last))
  writeExtras(last)

  for (let i = last - 1; i >= 0; i--) {
    offset = encodeSymbol(offsets, codeAt(OFFSETS, i), offset)
    match = encodeSymbol(matches, codeAt(MATCH_LENGTHS, i), match)
    literal = encodeSymbol(literals, codeAt(LITERAL_LENGTHS, i), literal)
    writeExtras(i)
  }

  writeState(matches, match)
  writeState(offsets, offset)
  writeState(literals, literal)

  return closeBits()
}

function writeCount (to: usize): usize {
  if (count < 128) {
    store<u8>(to, count)

    return to + 1
  }

  if (count < LONG_COUNT) {
    store<u8>(to, 128 + (count >> 8))
    store<u8>(to, count, 1)

    return to + 2
  }

  store<u8>(to, 255)
  store<u16>(to, count - LONG_COUNT, 1)

  return to + 3
}

function writeExtras (i: i32): void {
  writeExtra(LITERAL_LENGTHS, i)
  writeExtra(MATCH_LENGTHS, i)
  writeExtra(OFFSETS, i)
}

function writeExtra (part: i32, i: i32): void {
  const value = load<i32>(values + 4 * (part * MAX_COUNT + i))
  writeBits(extraOf(part, value), extraBits(part, codeAt(part, i)))
}

/**
 * Choose the table with which the codes take the fewest bits. If its description is to be written, that is in
 * `description`.
 */
function chooseTable (part: i32): usize {
  countSymbols(codes + part * MAX_COUNT, count)

  if (isOneSymbol() && count > 2) {
    store<u8>(modes + part, RLE)
    const encoder = encoderAt(part, 3)
    setOnlySymbol(encoder, codeAt(part, 0))

    return encoder
  }

  let best = encoderAt(part, 0)
  let parts = costOf(best)
  store<u8>(modes + part, PREDEFINED)
  const kept = encoderAt(part, keptPlace(part))

  if (load<bool>(hasKept + part) && costOf(kept) < parts) {
    best = kept
    parts = costOf(kept)
    store<u8>(modes + part, REPEATED)
  }

  const own = encoderAt(part, 3 - keptPlace(part))
  // as many states as suit so many codes
  normalize(own, min(max(30 - i32(clz(count)), MIN_ACCURACY), part === OFFSETS ? 8 : 9))
  const length = i32(writeDescription(description, own) - description)

  if (costOf(own) + 8 * PARTS * length < parts) {
    best = own
    buildStates(own)
    store<u8>(modes + part, DESCRIBED)
  }

  return best
}

/** Write what says which table was chosen last. */
function describe (to: usize, part: i32, encoder: usize): usize {
  const mode = i32(load<u8>(modes + part))

  if (mode === RLE) {
    store<u8>(to, codeAt(part, 0))

    return to + 1
  }

  return mode === DESCRIBED ? writeDescription(to, encoder) : to
}
