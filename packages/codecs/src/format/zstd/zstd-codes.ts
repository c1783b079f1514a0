import { buildFseTable, createFseTable } from './zstd-fse.ts'
import type { FseTable } from './zstd-fse.ts'

/** One of the three parts of a sequence: each is a code and additional bits. */
export interface Codes {
  /** The largest accuracy of a table in a frame. */
  readonly maxAccuracy: number
  /** The contents of a table cell, by code: the code in bits 0 to 5, the number of additional bits in bits 6 to 10. */
  readonly meanings: Int32Array
  /** The value of each code, without the additional bits. */
  readonly values: Int32Array
  /** The default table (RFC 8878, section 3.1.1.3.2.2). */
  readonly predefined: FseTable
}

/** Literal lengths (RFC 8878, section 3.1.1.3.2.1.1). Codes up to 15 are the length itself. */
export const LITERAL_LENGTHS: Codes = createCodes({
  maxAccuracy: 9,
  first: 0,
  bits: [...zeros(16), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  accuracy: 6,
  probabilities: [
    4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1
  ]
})

/** Match lengths. Codes up to 31 are the length minus three, the shortest match. */
export const MATCH_LENGTHS: Codes = createCodes({
  maxAccuracy: 9,
  first: 3,
  bits: [...zeros(32), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
  accuracy: 6,
  probabilities: [1, 4, 3, 2, 2, 2, 2, 2, 2, ...Array<number>(37).fill(1), -1, -1, -1, -1, -1, -1, -1]
})

/** Offsets. A code is the binary logarithm of its value. */
export const OFFSETS: Codes = createCodes({
  maxAccuracy: 8,
  first: 1,
  bits: Array.from({ length: 32 }, (_, code) => code),
  accuracy: 5,
  probabilities: [1, 1, 1, 1, 1, 1, 2, 2, 2, ...Array<number>(15).fill(1), -1, -1, -1, -1, -1]
})

interface CodesInit {
  maxAccuracy: number
  /** The value of the first code. */
  first: number
  /** The number of additional bits of each code. */
  bits: readonly number[]
  /** The accuracy and the probabilities of the default table. */
  accuracy: number
  probabilities: readonly number[]
}

function createCodes ({ maxAccuracy, first, bits, accuracy, probabilities }: CodesInit): Codes {
  const meanings = Int32Array.from(bits, (count, code) => code | count << 6)
  const values = new Int32Array(bits.length)
  const predefined = createFseTable(accuracy)
  let value = first

  for (const [code, count] of bits.entries()) {
    values[code] = value
    // the range of the next code starts where this one ends
    value += 2 ** count
  }

  buildFseTable(predefined, { accuracy, probabilities }, meanings)

  return { maxAccuracy, meanings, values, predefined }
}

function zeros (count: number): number[] {
  return Array<number>(count).fill(0)
}
