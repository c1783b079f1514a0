/** Which probabilities suit symbols, and what these take with them (RFC 8878, section 4.1). */
import { beginBits, endBits, writeBits } from './bit-writer'
import { accuracyOf, clearEncoder, MAX_ACCURACY, MAX_SYMBOLS, probabilityOf, setProbability } from './fse-encoder'

/** The smallest accuracy of a table that is described (section 4.1.1). */
export const MIN_ACCURACY: i32 = 5
/** A probability of 0 is followed by the number of further zeros. If that is this number, another one follows. */
const MORE_ZEROS: i32 = 3

/** In how many parts of a bit costs are counted. */
export const PARTS: i32 = 1024
const PARTS_LOG: i32 = 10
/** More than anything costs, and a description can be added to it: a table lacks a symbol. */
export const TOO_MUCH: i32 = 1 << 30

/** How often each symbol occurs. */
const counts = memory.data(4 * MAX_SYMBOLS, 4)
let symbolCount: i32 = 0
let total: i32 = 0

/** Binary logarithms of probabilities, in parts of a bit. */
const logs = memory.data(4 * ((1 << MAX_ACCURACY) + 1), 4)

for (let probability = 1; probability <= 1 << MAX_ACCURACY; probability++) {
  store<i32>(logs + 4 * probability, logOf(probability))
}

/** The binary logarithm in parts of a bit: squaring doubles it. */
function logOf (probability: i32): i32 {
  const whole = 31 - clz(probability)
  let rest = u64(probability) << (31 - whole)
  let parts: i32 = whole

  // with one bit more, to round it
  for (let bit = 0; bit <= PARTS_LOG; bit++) {
    rest = (rest * rest) >>> 31
    const doubled = i32(rest >>> 32)
    rest >>>= doubled
    parts = 2 * parts + doubled
  }

  return (parts + 1) >> 1
}

/** Count symbols, each of one byte. */
export function countSymbols (list: usize, length: i32): void {
  memory.fill(counts, 0, 4 * MAX_SYMBOLS)
  symbolCount = 0
  total = length

  for (let i = 0; i < length; i++) {
    const symbol = i32(load<u8>(list + i))
    store<i32>(counts + 4 * symbol, countOf(symbol) + 1)
    symbolCount = max(symbolCount, symbol + 1)
  }
}

/** Whether all that were counted are the same. */
export function isOneSymbol (): bool {
  return countOf(symbolCount - 1) === total
}

function countOf (symbol: i32): i32 {
  return load<i32>(counts + 4 * symbol)
}

/** Probabilities that add up to a power of two, for the symbols that were counted. All that occur get one. */
export function normalize (encoder: usize, accuracy: i32): void {
  clearEncoder(encoder, accuracy)
  const size = 1 << accuracy
  let rest = size

  for (let symbol = 0; symbol < symbolCount; symbol++) {
    const count = countOf(symbol)
    const rounded = i32((u64(count) * u64(2 * size) + u64(total)) / u64(2 * total))
    const probability = count === 0 ? 0 : max(1, rounded)
    setProbability(encoder, symbol, probability)
    rest -= probability
  }

  // the most frequent one loses least by what the others are rounded
  while (rest !== 0) {
    let largest = 0

    for (let symbol = 1; symbol < symbolCount; symbol++) {
      largest = probabilityOf(encoder, symbol) > probabilityOf(encoder, largest) ? symbol : largest
    }

    const probability = probabilityOf(encoder, largest)
    const change = rest > 0 ? rest : -min(-rest, max(1, probability >> 2))
    setProbability(encoder, largest, probability + change)
    rest -= change
  }
}

/** What the symbols that were counted take with the probabilities of an encoder, in parts of a bit. */
export function costOf (encoder: usize): i32 {
  const accuracy = accuracyOf(encoder)
  let parts: i32 = 0

  for (let symbol = 0; symbol < symbolCount; symbol++) {
    const count = countOf(symbol)
    const probability = abs(probabilityOf(encoder, symbol))

    if (count > 0 && probability === 0) {
      return TOO_MUCH
    }

    parts += count * (accuracy * PARTS - load<i32>(logs + 4 * probability))
  }

  return parts
}

/**
 * Write the description of a table (section 4.1.1).
 *
 * @returns where it ends
 */
export function writeDescription (to: usize, encoder: usize): usize {
  const accuracy = accuracyOf(encoder)
  let rest = 1 << accuracy
  beginBits(to)
  writeBits(accuracy - MIN_ACCURACY, 4)

  for (let symbol = 0; rest > 0;) {
    const probability = probabilityOf(encoder, symbol++)
    // a value is at most rest + 1, and the smallest values have one bit less
    const bits = 32 - clz(rest + 1)
    const short = (1 << bits) - 2 - rest
    const value = probability + 1

    if (value < short) {
      writeBits(value, bits - 1)
    } else {
      writeBits(value < 1 << (bits - 1) ? value : value + short, bits)
    }

    rest -= abs(probability)

    if (probability === 0) {
      let zeros = 0

      for (; probabilityOf(encoder, symbol) === 0; symbol++) {
        zeros++
      }

      for (; zeros >= MORE_ZEROS; zeros -= MORE_ZEROS) {
        writeBits(MORE_ZEROS, 2)
      }

      writeBits(zeros, 2)
    }
  }

  return endBits()
}
