import { readBits } from './zstd-bits.ts'
import { LESS_THAN_ONE, MIN_ACCURACY, MORE_ZEROS } from './zstd-constants.ts'
import { corrupt } from './zstd-frame.ts'

/**
 * A Finite State Entropy table (RFC 8878, section 4.1). The cell of each state holds
 *
 * - in bits 0 to 11 the meaning of the symbol,
 * - in bits 12 to 15 the number of bits to read for the next state,
 * - from bit 16 on the number to add to them.
 */
export interface FseTable {
  /** The binary logarithm of the number of states. With 0 there is one state, which leads to itself. */
  accuracy: number
  readonly cells: Int32Array
}

export interface FramePart {
  frame: Uint8Array
  start: number
  /** Exclusive. */
  end: number
}

/** The description of a table in a frame. */
interface FseDescription {
  readonly accuracy: number
  /** The probability of each symbol. */
  readonly probabilities: readonly number[]
  /** The position after the description. */
  readonly end: number
}

export function createFseTable (maxAccuracy: number): FseTable {
  return { accuracy: 0, cells: new Int32Array(1 << maxAccuracy) }
}

/**
 * Read the description of a table (RFC 8878, section 4.1.1).
 *
 * @throws {CorruptFrameError}
 */
export function readFseDescription (
  { frame, start, end }: FramePart,
  maxAccuracy: number,
  maxSymbols: number
): FseDescription {
  if (start >= end) {
    throw corrupt('a table is cut short')
  }

  const accuracy = (frame[start] & 15) + MIN_ACCURACY

  if (accuracy > maxAccuracy) {
    throw corrupt(`a table has the accuracy ${accuracy} instead of at most ${maxAccuracy}`)
  }

  const probabilities: number[] = []
  let position = start * 8 + 4
  let rest = 1 << accuracy

  while (rest > 0) {
    // a value is at most rest + 1, and the smallest values have one bit less
    const count = 32 - Math.clz32(rest + 1)
    const short = (1 << count) - 2 - rest
    let value = readBits(frame, position, count)

    if ((value & (1 << count - 1) - 1) < short) {
      value &= (1 << count - 1) - 1
      position += count - 1
    } else {
      value -= value >> count - 1 === 0 ? 0 : short
      position += count
    }

    const probability = value - 1
    rest -= Math.abs(probability)
    probabilities.push(probability)

    if (probability === 0) {
      position = readZeros(frame, position, probabilities, maxSymbols)
    }

    if (probabilities.length > maxSymbols) {
      throw corrupt('a table has too many symbols')
    }

    if (position > end * 8) {
      throw corrupt('a table is cut short')
    }
  }

  return { accuracy, probabilities, end: Math.ceil(position / 8) }
}

function readZeros (frame: Uint8Array, position: number, probabilities: number[], maxSymbols: number): number {
  let zeros = MORE_ZEROS

  while (zeros === MORE_ZEROS && probabilities.length <= maxSymbols) {
    zeros = readBits(frame, position, 2)
    position += 2

    for (let i = 0; i < zeros; i++) {
      probabilities.push(0)
    }
  }

  return position
}

/**
 * Build a table. The probabilities have to add up.
 *
 * @param meanings - the meaning of each symbol
 */
export function buildFseTable (
  table: FseTable,
  { accuracy, probabilities }: Pick<FseDescription, 'accuracy' | 'probabilities'>,
  meanings: ArrayLike<number>
): void {
  const { cells } = table
  const size = 1 << accuracy
  const next = Uint16Array.from(probabilities, Math.abs)
  spreadSymbols(cells, { accuracy, probabilities })

  for (let state = 0; state < size; state++) {
    const symbol = cells[state]
    const number = next[symbol]++
    const bits = accuracy - 31 + Math.clz32(number)
    cells[state] = meanings[symbol] | bits << 12 | (number << bits) - size << 16
  }

  table.accuracy = accuracy
}

/** Put the symbol of each state into its cell (RFC 8878, section 4.1.1). The probabilities have to add up. */
function spreadSymbols (
  cells: Int32Array,
  { accuracy, probabilities }: Pick<FseDescription, 'accuracy' | 'probabilities'>
): void {
  const size = 1 << accuracy
  const step = (size >> 1) + (size >> 3) + 3
  let last = size - 1
  let position = 0

  for (let symbol = 0; symbol < probabilities.length; symbol++) {
    if (probabilities[symbol] === LESS_THAN_ONE) {
      cells[last--] = symbol
    }
  }

  for (let symbol = 0; symbol < probabilities.length; symbol++) {
    for (let i = probabilities[symbol]; i > 0; i--) {
      cells[position] = symbol

      do {
        position = position + step & size - 1
      } while (position > last)
    }
  }
}
