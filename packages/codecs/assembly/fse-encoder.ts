/** Finite State Entropy tables, and how symbols are encoded with them (RFC 8878, section 4.1). */
import { writeBits } from './bit-writer'

/** The largest accuracy, for literal and match lengths: of 512 states. */
export const MAX_ACCURACY: i32 = 9
/** The probability "less than one": the symbol has a single state, and all bits of the next state are read. */
const LESS_THAN_ONE: i32 = -1
/** The most symbols of a table: more than match lengths have codes. */
export const MAX_SYMBOLS: i32 = 64

/*
 * An encoder has its accuracy, and for each symbol its probability and where its states begin, less that. After these
 * come the states: for the n-th of each symbol, the one that decodes to it.
 */
const PROBABILITIES: usize = 4
const STARTS: usize = PROBABILITIES + 4 * MAX_SYMBOLS
const STATES: usize = STARTS + 4 * MAX_SYMBOLS
/** Bytes of an encoder. */
export const ENCODER_SIZE: i32 = i32(STATES) + (2 << MAX_ACCURACY)

/** The symbol of each state, and the next state of each symbol, of a table that is being built. */
const symbols = memory.data(4 << MAX_ACCURACY, 4)
const next = memory.data(4 * MAX_SYMBOLS, 4)

export function accuracyOf (encoder: usize): i32 {
  return load<i32>(encoder)
}

export function probabilityOf (encoder: usize, symbol: i32): i32 {
  return load<i32>(encoder + 4 * symbol, PROBABILITIES)
}

export function setProbability (encoder: usize, symbol: i32, probability: i32): void {
  store<i32>(encoder + 4 * symbol, probability, PROBABILITIES)
}

/** Begin an encoder without symbols. */
export function clearEncoder (encoder: usize, accuracy: i32): void {
  memory.fill(encoder, 0, ENCODER_SIZE)
  store<i32>(encoder, accuracy)
}

/** Make an encoder of one symbol, which takes no bits. */
export function setOnlySymbol (encoder: usize, symbol: i32): void {
  clearEncoder(encoder, 0)
  setProbability(encoder, symbol, 1)
  buildStates(encoder)
}

/** Build the states of an encoder whose probabilities add up. */
export function buildStates (encoder: usize): void {
  const size = 1 << accuracyOf(encoder)
  let start = 0

  for (let symbol = 0; symbol < MAX_SYMBOLS; symbol++) {
    const probability = abs(probabilityOf(encoder, symbol))
    store<i32>(encoder + 4 * symbol, start - probability, STARTS)
    store<i32>(next + 4 * symbol, start)
    start += probability
  }

  spreadSymbols(encoder, size)

  for (let state = 0; state < size; state++) {
    const slot = next + 4 * load<i32>(symbols + 4 * state)
    store<u16>(encoder + 2 * load<i32>(slot), state, STATES)
    store<i32>(slot, load<i32>(slot) + 1)
  }
}

/** Find the symbol of each state. */
function spreadSymbols (encoder: usize, size: i32): void {
  const step = (size >> 1) + (size >> 3) + 3
  let last = size - 1
  let position = 0

  for (let symbol = 0; symbol < MAX_SYMBOLS; symbol++) {
    if (probabilityOf(encoder, symbol) === LESS_THAN_ONE) {
      store<i32>(symbols + 4 * last--, symbol)
    }
  }

  for (let symbol = 0; symbol < MAX_SYMBOLS; symbol++) {
    for (let i = probabilityOf(encoder, symbol); i > 0; i--) {
      store<i32>(symbols + 4 * position, symbol)

      do {
        position = (position + step) & (size - 1)
      } while (position > last)
    }
  }
}

/** The state of a stream's last symbol. Symbols are encoded from the last to the first. */
export function lastState (encoder: usize, symbol: i32): i32 {
  return stateOf(encoder, symbol, abs(probabilityOf(encoder, symbol)))
}

/**
 * Write the bits that lead from a symbol to a state.
 *
 * @returns the state of the symbol
 */
export function encodeSymbol (encoder: usize, symbol: i32, stateAfter: i32): i32 {
  const accuracy = accuracyOf(encoder)
  const probability = abs(probabilityOf(encoder, symbol))
  const state = stateAfter + (1 << accuracy)
  // the decoder reads so many bits that a number from `probability` to twice that leads to all states
  let bits = accuracy - 31 + i32(clz(probability))
  bits -= state >> bits < probability ? 1 : 0
  writeBits(state, bits)

  return stateOf(encoder, symbol, state >> bits)
}

/** Write the state that the decoder begins with. */
export function writeState (encoder: usize, state: i32): void {
  writeBits(state, accuracyOf(encoder))
}

function stateOf (encoder: usize, symbol: i32, number: i32): i32 {
  return i32(load<u16>(encoder + 2 * (load<i32>(encoder + 4 * symbol, STARTS) + number), STATES))
}

/** Set the probabilities of a table, which are one after the other, and build its states. */
export function setProbabilities (encoder: usize, accuracy: i32, probabilities: StaticArray<i8>): void {
  clearEncoder(encoder, accuracy)

  for (let symbol = 0; symbol < probabilities.length; symbol++) {
    setProbability(encoder, symbol, probabilities[symbol])
  }

  buildStates(encoder)
}
