import { xxh64Low } from '../src/format/checksums/xxh64.ts'
import { LITERAL_LENGTHS, MATCH_LENGTHS, OFFSETS } from '../src/format/zstd/zstd-codes.ts'
import { buildFseTable, createFseTable } from '../src/format/zstd/zstd-fse.ts'
import { concat } from './fixtures.ts'
import type { Codes } from '../src/format/zstd/zstd-codes.ts'
import type { FseTable } from '../src/format/zstd/zstd-fse.ts'

/** A value, and how many bits it has. */
export type Field = readonly [value: number, count: number]

/** The types of a literals section (RFC 8878, section 3.1.1.3.1.1). */
export const RAW = 0
export const RLE = 1
export const COMPRESSED = 2
export const TREELESS = 3

/** A little-endian integer of `length` bytes. */
export function uint (value: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => value / 2 ** (8 * i))
}

export function bytes (...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values)
}

/** A frame of one segment, with a content size of four bytes. */
export function frame (size: number, ...blocks: readonly Uint8Array[]): Uint8Array {
  return concat(bytes(0x28, 0xb5, 0x2f, 0xfd, 0xa0), uint(size, 4), ...blocks)
}

/** The same, with a checksum of its content. */
export function checkedFrame (content: Uint8Array, ...blocks: readonly Uint8Array[]): Uint8Array {
  return concat(frame(content.byteLength, ...blocks).with(4, 0xa4), uint(xxh64Low(content), 4))
}

/** A frame with a window descriptor: 2 ** (10 + (window >> 3)) bytes, and window & 7 eighths more. */
export function windowFrame (size: number, window: number, ...blocks: readonly Uint8Array[]): Uint8Array {
  return concat(bytes(0x28, 0xb5, 0x2f, 0xfd, 0x80, window), uint(size, 4), ...blocks)
}

/** A block: type 0 is stored, 1 is one repeated byte, 2 is compressed. */
export function block (type: number, length: number, content: Uint8Array, last: boolean = true): Uint8Array {
  return concat(uint(Number(last) + type * 2 + length * 8, 3), content)
}

export function stored (content: Uint8Array, last: boolean = true): Uint8Array {
  return block(0, content.byteLength, content, last)
}

export function compressed (...parts: readonly Uint8Array[]): Uint8Array {
  const content = concat(...parts)

  return block(2, content.byteLength, content)
}

/** The same block, not marked as the last one. */
export function notLast (block: Uint8Array): Uint8Array {
  return block.with(0, block[0] & 0xfe)
}

/** Raw literals, with a header of 3 bytes. */
export function raw (literals: Uint8Array): Uint8Array {
  return concat(uint(RAW + (3 << 2) + literals.byteLength * 16, 3), literals)
}

/** Huffman-coded literals. Format 0 is one stream; 1, 2 and 3 are four, with lengths of 10, 14 and 18 bits. */
export function huffman (type: number, format: number, length: number, ...content: readonly Uint8Array[]): Uint8Array {
  const bits = [10, 10, 14, 18][format]
  const { byteLength } = concat(...content)

  return concat(uint(type + format * 4 + length * 16 + byteLength * 2 ** (4 + bits), [3, 3, 4, 5][format]), ...content)
}

/** Streams with the lengths of the first three in front. */
export function fourStreams (...streams: readonly Uint8Array[]): Uint8Array {
  return concat(...streams.slice(0, 3).map(stream => uint(stream.byteLength, 2)), ...streams)
}

/** A Huffman tree with direct weights. The last one is implied. */
export function directTree (...weights: readonly number[]): Uint8Array {
  const halves = [...weights, 0]
  const pairs = Array.from({ length: Math.ceil(weights.length / 2) }, (_, i) => halves[2 * i] << 4 | halves[2 * i + 1])

  return bytes(127 + weights.length, ...pairs)
}

/** A Huffman tree with compressed weights: the description of an FSE table, and a stream. */
export function compressedTree (...content: readonly Uint8Array[]): Uint8Array {
  const whole = concat(...content)

  return concat(bytes(whole.byteLength), whole)
}

/** A bit stream that is read from its end. The fields are in the order of reading. */
export function backward (...fields: readonly Field[]): Uint8Array {
  return writeBits([...fields.toReversed(), [1, 1]])
}

/** Bits from the first byte on, the lowest first. */
function writeBits (fields: readonly Field[]): Uint8Array {
  const bits = fields.flatMap(
    ([value, count]) => Array.from({ length: count }, (_, i) => Math.floor(value / 2 ** i) % 2)
  )

  return Uint8Array.from(
    { length: Math.ceil(bits.length / 8) },
    (_, i) => Number.parseInt(bits.slice(i * 8, i * 8 + 8).toReversed().join(''), 2)
  )
}

/** The description of an FSE table (RFC 8878, section 4.1.1). */
export function description (accuracy: number, probabilities: readonly number[]): Uint8Array {
  const fields: Field[] = [[accuracy - 5, 4]]
  let rest = 2 ** accuracy

  for (let i = 0; i < probabilities.length; i++) {
    const value = probabilities[i] + 1
    const count = Math.floor(Math.log2(rest + 1)) + 1
    const short = 2 ** count - 2 - rest
    const isShort = value < short
    fields.push([isShort || value < 2 ** (count - 1) ? value : value + short, isShort ? count - 1 : count])
    rest -= Math.abs(probabilities[i])

    if (probabilities[i] === 0) {
      let zeros = 0

      for (; probabilities[i + 1] === 0; i++) {
        zeros++
      }

      for (; zeros >= 3; zeros -= 3) {
        fields.push([3, 2])
      }

      fields.push([zeros, 2])
    }
  }

  return writeBits(fields)
}

/** The symbol of a state of a table, and the range of next states. */
interface State {
  symbol: number
  bits: number
  base: number
}

function statesOf ({ accuracy, cells }: FseTable): State[] {
  return Array.from(
    cells.subarray(0, 1 << accuracy),
    cell => ({ symbol: cell & 63, bits: cell >> 12 & 15, base: cell >> 16 })
  )
}

/** The only state of a symbol that leads to the state `next`. */
function stateBefore (states: readonly State[], symbol: number, next: number): number {
  return states.findIndex(state => state.symbol === symbol && next >= state.base && next < state.base + 2 ** state.bits)
}

/** Weights of a Huffman tree, coded with an FSE table of accuracy 5 and two alternating states. */
export function weightStream (probabilities: readonly number[], weights: readonly number[]): Uint8Array {
  const table = createFseTable(5)
  buildFseTable(table, { accuracy: 5, probabilities }, [...probabilities.keys()])
  const states = statesOf(table)
  const fields: Field[] = []
  const next: number[] = []

  for (let i = weights.length - 1; i >= 0; i--) {
    const follower = next[i % 2]

    if (follower == null) {
      // the weights end where the bits run out
      next[i % 2] = states.findIndex(({ symbol, bits }) => symbol === weights[i] && bits > 0)
    } else {
      const state = stateBefore(states, weights[i], follower)
      fields.unshift([follower - states[state].base, states[state].bits])
      next[i % 2] = state
    }
  }

  return backward([next[0], 5], [next[1], 5], ...fields)
}

/** Literals and a match. The offset is as encoded: 1 to 3 for a recent offset, else the offset plus 3. */
export interface Sequence {
  literals: number
  offset: number
  match: number
}

/** The table of one kind of codes: predefined, or an accuracy and probabilities. */
export type Table = 'predefined' | { accuracy: number, probabilities: readonly number[] }

/** The tables of literal lengths, offsets and match lengths. */
export type Tables = readonly [Table, Table, Table]

export const PREDEFINED: Tables = ['predefined', 'predefined', 'predefined']

/**
 * The sequences section of a block.
 *
 * @param again - whether to repeat the tables of the previous block
 */
export function sequences (list: readonly Sequence[], tables: Tables = PREDEFINED, again: boolean = false): Uint8Array {
  const count = list.length < 128
    ? bytes(list.length)
    : list.length < 0x7f00
      ? bytes(128 + (list.length >> 8), list.length)
      : concat(bytes(255), uint(list.length - 0x7f00, 2))

  if (list.length === 0) {
    return count
  }

  const modes = tables.reduce((modes, table, i) => modes | (again ? 3 : table === 'predefined' ? 0 : 2) << 6 - 2 * i, 0)
  const descriptions = tables.map(
    table => again || table === 'predefined' ? bytes() : description(table.accuracy, table.probabilities)
  )

  return concat(count, bytes(modes), ...descriptions, sequenceStream(list, tables))
}

function sequenceStream (list: readonly Sequence[], tables: Tables): Uint8Array {
  const literals = encoder(LITERAL_LENGTHS, tables[0])
  const offsets = encoder(OFFSETS, tables[1])
  const matches = encoder(MATCH_LENGTHS, tables[2])
  const fields: Field[] = []

  for (const sequence of list.toReversed()) {
    const last = fields.length === 0
    // written in the reverse order of reading
    const [offset, offsetBits] = offsets.put(sequence.offset, last)
    const [match, matchBits] = matches.put(sequence.match, last)
    const [run, runBits] = literals.put(sequence.literals, last)
    fields.push(offsetBits, matchBits, runBits, run, match, offset)
  }

  return writeBits([...fields, matches.state(), offsets.state(), literals.state(), [1, 1]])
}

/** Finds the states from the last one to the first. */
function encoder ({ maxAccuracy, meanings, values, predefined }: Codes, description: Table): {
  put: (value: number, last: boolean) => [Field, Field]
  state: () => Field
} {
  let table = predefined

  if (description !== 'predefined') {
    table = createFseTable(maxAccuracy)
    buildFseTable(table, description, meanings)
  }

  const states = statesOf(table)
  let next = 0

  return {
    put (value, last) {
      const code = values.findLastIndex(first => first >>> 0 <= value)
      const extra: Field = [value - values[code], meanings[code] >> 6]

      if (last) {
        next = states.findIndex(({ symbol }) => symbol === code)

        return [extra, [0, 0]]
      }

      const state = stateBefore(states, code, next)
      const bits: Field = [next - states[state].base, states[state].bits]
      next = state

      return [extra, bits]
    },

    state: () => [next, table.accuracy]
  }
}
