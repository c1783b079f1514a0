import { countBits, readBack } from './zstd-bits.ts'
import { DIRECT, MAX_BITS, MAX_WEIGHTS_ACCURACY } from './zstd-constants.ts'
import { corrupt } from './zstd-frame.ts'
import { buildFseTable, createFseTable, readFseDescription } from './zstd-fse.ts'

const MAX_SYMBOLS = 256
/** Up to this weight there are few cells, and a loop sets them faster than a call of fill(). */
const BY_ENGINE = 4
/** The meaning of each symbol in that table: the weight itself. */
const WEIGHTS = Array.from({ length: MAX_BITS + 1 }, (_, weight) => weight)

/** A Huffman code. The cell of each sequence of `bits` bits holds its first symbol times 16, plus the code's length. */
export interface HuffmanTable {
  /** The length of the longest code. */
  bits: number
  readonly cells: Uint16Array
}

export function createHuffmanTable (): HuffmanTable {
  return { bits: 0, cells: new Uint16Array(1 << MAX_BITS) }
}

/**
 * Read the description of a tree (RFC 8878, section 4.2.1) and build its table.
 *
 * @returns the position after the description
 * @throws {CorruptFrameError}
 */
export function readHuffmanTable (table: HuffmanTable, frame: Uint8Array, start: number, end: number): number {
  if (start >= end) {
    throw corrupt('a Huffman tree is cut short')
  }

  const header = frame[start]
  const length = header < DIRECT ? header : header - DIRECT + 2 >> 1
  const behind = start + 1 + length

  if (behind > end) {
    throw corrupt('a Huffman tree is cut short')
  }

  build(table, header < DIRECT
    ? readCompressedWeights(frame, start + 1, behind)
    : Array.from({ length: header - DIRECT + 1 }, (_, i) => frame[start + 1 + (i >> 1)] >> (i % 2 === 0 ? 4 : 0) & 15))

  return behind
}

/** Decode weights with two alternating states, until the stream ends (RFC 8878, section 4.2.1.2). */
function readCompressedWeights (frame: Uint8Array, start: number, end: number): number[] {
  const description = readFseDescription({ frame, start, end }, MAX_WEIGHTS_ACCURACY, WEIGHTS.length)
  const table = createFseTable(MAX_WEIGHTS_ACCURACY)
  buildFseTable(table, description, WEIGHTS)

  const { accuracy, cells } = table
  const stream = description.end
  const weights: number[] = []
  let left = countBits(frame, stream, end) - 2 * accuracy

  if (left < 0) {
    throw corrupt('the weights of a Huffman tree are cut short')
  }

  let cell = cells[readBack(frame, stream, left + 2 * accuracy, accuracy)]
  let other = cells[readBack(frame, stream, left + accuracy, accuracy)]

  for (;;) {
    weights.push(cell & 15)
    const bits = cell >> 12 & 15

    if (bits > left) {
      weights.push(other & 15)
      break
    }

    // states without bits would never end. Up to two more weights follow, plus the implied last one
    if (weights.length > MAX_SYMBOLS - 3) {
      throw corrupt('a Huffman tree has too many weights')
    }

    const next = cells[(cell >> 16) + (bits === 0 ? 0 : readBack(frame, stream, left, bits))]
    left -= bits
    cell = other
    other = next
  }

  return weights
}

/** Build a table from the weights. The last weight is implied: it completes the code. */
function build (table: HuffmanTable, weights: number[]): void {
  const counts = new Uint16Array(MAX_BITS + 1)
  let sum = 0

  for (const weight of weights) {
    if (weight > MAX_BITS) {
      throw corrupt(`a Huffman tree has the weight ${weight}`)
    }

    counts[weight]++
    sum += 1 << weight >> 1
  }

  const bits = 32 - Math.clz32(sum)
  const rest = (1 << bits) - sum

  if (sum === 0 || bits > MAX_BITS || (rest & rest - 1) !== 0) {
    throw corrupt('the weights of a Huffman tree do not add up')
  }

  const last = 32 - Math.clz32(rest)
  counts[last]++

  if (counts[1] === 0) {
    throw corrupt('a Huffman tree has no code of its full length')
  }

  weights.push(last)
  fill(table, bits, weights, counts)
}

/** Fill the cells: lower weights (longer codes) first, then by symbol. */
function fill (table: HuffmanTable, bits: number, weights: readonly number[], counts: Uint16Array): void {
  const { cells } = table
  const places = new Uint16Array(MAX_BITS + 2)

  for (let weight = 1; weight <= MAX_BITS; weight++) {
    places[weight + 1] = places[weight] + (counts[weight] << weight - 1)
  }

  for (let symbol = 0; symbol < weights.length; symbol++) {
    const weight = weights[symbol]

    if (weight > 0) {
      const cell = symbol << 4 | bits + 1 - weight
      const start = places[weight]
      const end = start + (1 << weight - 1)
      places[weight] = end

      if (weight > BY_ENGINE) {
        cells.fill(cell, start, end)
      } else {
        for (let i = start; i < end; i++) {
          cells[i] = cell
        }
      }
    }
  }

  table.bits = bits
}
