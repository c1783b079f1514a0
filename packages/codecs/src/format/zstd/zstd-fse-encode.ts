import { MIN_ACCURACY, MORE_ZEROS } from './zstd-constants.ts'
import { spreadSymbols } from './zstd-fse.ts'
import type { BitWriter } from './zstd-bit-writer.ts'

/** In how many parts of a bit costs are counted. */
const PARTS = 1024
/** The largest table that is described, for literal and match lengths: of 512 states. */
const MAX_SIZE = 512

/**
 * Binary logarithms of probabilities, in parts of a bit. The last digit of Math.log2 may be another one in each engine,
 * and the same content has to become the same frame in all of them.
 */
const LOG2 = Int32Array.from({ length: MAX_SIZE + 1 }, (_, probability) => Math.round(PARTS * Math.log2(probability)))

/** How symbols are encoded with a Finite State Entropy table (RFC 8878, section 4.1). */
export interface FseEncoder {
  readonly accuracy: number
  /** The probability of each symbol. */
  readonly probabilities: readonly number[]
  /** For the n-th state of each symbol, the state that decodes to it. */
  readonly states: Uint16Array
  /** Where each symbol's states begin, less its probability. */
  readonly starts: Int32Array
}

/** Probabilities that add up to a power of two, for symbols that occur so often. All that occur get one. */
export function normalize (counts: readonly number[], accuracy: number): number[] {
  const size = 1 << accuracy
  const total = counts.reduce((sum, count) => sum + count, 0)
  const probabilities = counts.map(count => count === 0 ? 0 : Math.max(1, Math.round(count * size / total)))
  let rest = size - probabilities.reduce((sum, probability) => sum + probability, 0)

  // the most frequent one loses least by what the others are rounded
  while (rest !== 0) {
    const largest = probabilities.indexOf(Math.max(...probabilities))
    const change = rest > 0 ? rest : -Math.min(-rest, Math.max(1, probabilities[largest] >> 2))
    probabilities[largest] += change
    rest -= change
  }

  return probabilities
}

/** The bits that symbols take which occur so often. Infinity: the table lacks one of them. */
export function costOf (counts: readonly number[], probabilities: readonly number[], accuracy: number): number {
  let parts = 0

  for (let symbol = 0; symbol < counts.length; symbol++) {
    if (counts[symbol] > 0) {
      const probability = Math.abs(probabilities[symbol] ?? 0)
      parts += probability === 0 ? Infinity : counts[symbol] * (accuracy * PARTS - LOG2[probability])
    }
  }

  return parts / PARTS
}

/** Write the description of a table (RFC 8878, section 4.1.1). */
export function writeFseDescription (writer: BitWriter, probabilities: readonly number[], accuracy: number): void {
  let rest = 1 << accuracy
  writer.write(accuracy - MIN_ACCURACY, 4)

  for (let symbol = 0; rest > 0;) {
    const probability = probabilities[symbol++]
    // a value is at most rest + 1, and the smallest values have one bit less
    const bits = 32 - Math.clz32(rest + 1)
    const short = (1 << bits) - 2 - rest
    const value = probability + 1

    if (value < short) {
      writer.write(value, bits - 1)
    } else {
      writer.write(value < 1 << bits - 1 ? value : value + short, bits)
    }

    rest -= Math.abs(probability)

    if (probability === 0) {
      const first = symbol

      while (probabilities[symbol] === 0) {
        symbol++
      }

      let zeros = symbol - first

      for (; zeros >= MORE_ZEROS; zeros -= MORE_ZEROS) {
        writer.write(MORE_ZEROS, 2)
      }

      writer.write(zeros, 2)
    }
  }

  writer.pad()
}

/** Build the encoder for a table. */
export function createFseEncoder (probabilities: readonly number[], accuracy: number): FseEncoder {
  const size = 1 << accuracy
  const symbols = new Int32Array(size)
  const starts = new Int32Array(probabilities.length)
  const next = new Int32Array(probabilities.length)
  const states = new Uint16Array(size)
  let start = 0

  for (let symbol = 0; symbol < probabilities.length; symbol++) {
    const probability = Math.abs(probabilities[symbol])
    starts[symbol] = start - probability
    next[symbol] = start
    start += probability
  }

  spreadSymbols(symbols, { accuracy, probabilities })

  for (let state = 0; state < size; state++) {
    states[next[symbols[state]]++] = state
  }

  return { accuracy, probabilities, states, starts }
}

/** The state of an encoder. The symbols are encoded from the last to the first. */
export class FseState {
  readonly #encoder: FseEncoder
  #state: number

  /** @param symbol - the last one */
  constructor (encoder: FseEncoder, symbol: number) {
    const { states, starts, probabilities } = encoder
    this.#encoder = encoder
    this.#state = states[starts[symbol] + Math.abs(probabilities[symbol])]
  }

  /** Encode the symbol before. */
  encode (writer: BitWriter, symbol: number): void {
    const { accuracy, probabilities, states, starts } = this.#encoder
    const probability = Math.abs(probabilities[symbol])
    const state = this.#state + (1 << accuracy)
    // the decoder reads so many bits that a number from `probability` to twice that leads to all states
    let bits = accuracy - 31 + Math.clz32(probability)
    bits -= state >> bits < probability ? 1 : 0
    writer.write(state, bits)
    this.#state = states[starts[symbol] + (state >> bits)]
  }

  /** Write the state that the decoder begins with. */
  finish (writer: BitWriter): void {
    writer.write(this.#state, this.#encoder.accuracy)
  }
}
