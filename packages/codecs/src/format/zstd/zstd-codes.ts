import { buildFseTable, createFseTable } from './zstd-fse.ts'
import type { FseTable } from './zstd-fse.ts'

/** One of the three things that a sequence is made of, each of which is a code and more bits. */
export interface Codes {
  /** Of a table that a frame describes. */
  readonly maxAccuracy: number
  /** What a cell says of each code: itself in the bits 0 to 5, and how many bits follow it in the bits 6 to 10. */
  readonly meanings: Int32Array
  /** What each code stands for. The bits that follow are added. */
  readonly values: Int32Array
  /** The table where a frame describes none (RFC 8878, section 3.1.1.3.2.2). */
  readonly predefined: FseTable
}

/** RFC 8878, section 3.1.1.3.2.1.1. The codes up to 15 are the length itself. */
export const LITERAL_LENGTHS: Codes = createCodes(9, 0,
  [...zeros(16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  6, [4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1])

/** The codes up to 31 are the length without three, which is the shortest match. */
export const MATCH_LENGTHS: Codes = createCodes(9, 3,
  [...zeros(32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  6, [1, 4, 3, 2, 2, 2, 2, 2, 2, ...Array<number>(37).fill(1), -1, -1, -1, -1, -1, -1, -1])

/** A code is the logarithm of its value. */
export const OFFSETS: Codes = createCodes(8, 1,
  Array.from({ length: 32 }, (_, code) => code),
  5, [1, 1, 1, 1, 1, 1, 2, 2, 2, ...Array<number>(15).fill(1), -1, -1, -1, -1, -1])

function createCodes (maxAccuracy: number, first: number, bits: readonly number[], accuracy: number, probabilities: readonly number[]): Codes {
  const meanings = Int32Array.from(bits, (count, code) => code | count << 6)
  const values = new Int32Array(bits.length)
  const predefined = createFseTable(accuracy)
  let value = first

  for (const [code, count] of bits.entries()) {
    values[code] = value
    // the next one begins where this one ends
    value += 2 ** count
  }

  buildFseTable(predefined, { accuracy, probabilities }, meanings)

  return { maxAccuracy, meanings, values, predefined }
}

function zeros (count: number): number[] {
  return Array<number>(count).fill(0)
}
