import { BitWriter } from './zstd-bit-writer.ts'
import { LITERAL_LENGTHS, MATCH_LENGTHS, OFFSETS } from './zstd-codes.ts'
import {
  DESCRIBED_TABLE,
  LONG_COUNT,
  MIN_ACCURACY,
  PREDEFINED_TABLE,
  REPEATED_TABLE,
  RLE_TABLE
} from './zstd-constants.ts'
import { costOf, createFseEncoder, FseState, normalize, writeFseDescription } from './zstd-fse-encode.ts'
import type { Codes } from './zstd-codes.ts'
import type { FseEncoder } from './zstd-fse-encode.ts'

/** The tables that the next block may use again: for literal lengths, offsets and match lengths. */
export type Tables = readonly [FseEncoder | undefined, FseEncoder | undefined, FseEncoder | undefined]

/** The numbers of a block's sequences: each is a code with additional bits. */
export interface SequenceValues {
  literalLengths: readonly number[]
  /** Offsets as they are stored: with those that repeat as 1 to 3. */
  offsets: readonly number[]
  matchLengths: readonly number[]
}

export interface EncodedSequences {
  parts: readonly Uint8Array[]
  tables: Tables
}

interface Choice {
  mode: number
  encoder: FseEncoder
  description: Uint8Array
  /** The table for later blocks. */
  kept: FseEncoder | undefined
}

const KINDS = [LITERAL_LENGTHS, OFFSETS, MATCH_LENGTHS] as const
const PREDEFINED_ENCODERS = KINDS.map(({ predefined: { accuracy }, predefinedProbabilities }) =>
  createFseEncoder(predefinedProbabilities, accuracy))

/** Encode the sequences of a block (RFC 8878, section 3.1.1.3.2). */
export function encodeSequences (
  { literalLengths, offsets, matchLengths }: SequenceValues,
  before: Tables
): EncodedSequences {
  const count = literalLengths.length

  if (count === 0) {
    return { parts: [Uint8Array.of(0)], tables: before }
  }

  const values = [literalLengths, offsets, matchLengths] as const
  const codes = values.map((list, kind) => codesOf(KINDS[kind], list))
  const [literals, offset, match] = codes.map((list, kind) => choose(list, kind, before[kind]))
  const writer = new BitWriter()
  const [literalCodes, offsetCodes, matchCodes] = codes
  const last = count - 1

  const writeBits = (i: number): void => {
    writeExtra(writer, LITERAL_LENGTHS, literalCodes[i], literalLengths[i])
    writeExtra(writer, MATCH_LENGTHS, matchCodes[i], matchLengths[i])
    writeExtra(writer, OFFSETS, offsetCodes[i], offsets[i])
  }

  const matchState = new FseState(match.encoder, matchCodes[last])
  const offsetState = new FseState(offset.encoder, offsetCodes[last])
  const literalState = new FseState(literals.encoder, literalCodes[last])
  writeBits(last)

  for (let i = last - 1; i >= 0; i--) {
    offsetState.encode(writer, offsetCodes[i])
    matchState.encode(writer, matchCodes[i])
    literalState.encode(writer, literalCodes[i])
    writeBits(i)
  }

  matchState.finish(writer)
  offsetState.finish(writer)
  literalState.finish(writer)
  writer.close()

  const modes = Uint8Array.of(literals.mode << 6 | offset.mode << 4 | match.mode << 2)

  return {
    parts: [countBytes(count), modes, literals.description, offset.description, match.description, writer.bytes],
    tables: [literals.kept, offset.kept, match.kept]
  }
}

function countBytes (count: number): Uint8Array {
  if (count < 128) {
    return Uint8Array.of(count)
  }

  return count < LONG_COUNT
    ? Uint8Array.of(128 + (count >> 8), count)
    : Uint8Array.of(255, count - LONG_COUNT, count - LONG_COUNT >> 8)
}

function codesOf ({ values }: Codes, list: readonly number[]): Uint8Array {
  const codes = new Uint8Array(list.length)

  for (let i = 0; i < list.length; i++) {
    const value = list[i]
    let [low, high] = [0, values.length - 1]

    while (low < high) {
      const middle = low + high + 1 >> 1

      if (values[middle] <= value) {
        low = middle
      } else {
        high = middle - 1
      }
    }

    codes[i] = low
  }

  return codes
}

function writeExtra (writer: BitWriter, { values, meanings }: Codes, code: number, value: number): void {
  writer.write(value - values[code], meanings[code] >> 6 & 31)
}

/** The table with which the codes take the fewest bits. */
function choose (codes: Uint8Array, kind: number, before: FseEncoder | undefined): Choice {
  const counts = Array<number>(Math.max(...codes) + 1).fill(0)

  for (const code of codes) {
    counts[code]++
  }

  const nothing = new Uint8Array(0)

  if (counts.at(-1) === codes.length && codes.length > 2) {
    return {
      mode: RLE_TABLE,
      encoder: createFseEncoder([...Array<number>(codes[0]).fill(0), 1], 0),
      description: Uint8Array.of(codes[0]),
      kept: undefined
    }
  }

  const predefined = PREDEFINED_ENCODERS[kind]
  let best: Choice = { mode: PREDEFINED_TABLE, encoder: predefined, description: nothing, kept: undefined }
  let bits = costOf(counts, predefined.probabilities, predefined.accuracy)

  if (before != null && costOf(counts, before.probabilities, before.accuracy) < bits) {
    bits = costOf(counts, before.probabilities, before.accuracy)
    best = { mode: REPEATED_TABLE, encoder: before, description: nothing, kept: before }
  }

  // as many states as suit so many codes
  const accuracy = Math.min(Math.max(30 - Math.clz32(codes.length), MIN_ACCURACY), KINDS[kind].maxAccuracy)
  const probabilities = normalize(counts, accuracy)
  const writer = new BitWriter()
  writeFseDescription(writer, probabilities, accuracy)

  if (costOf(counts, probabilities, accuracy) + 8 * writer.bytes.byteLength < bits) {
    const encoder = createFseEncoder(probabilities, accuracy)
    best = { mode: DESCRIBED_TABLE, encoder, description: writer.bytes, kept: encoder }
  }

  return best
}
