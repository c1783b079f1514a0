import { LITERAL_LENGTHS, MATCH_LENGTHS, OFFSETS } from '../src/format/zstd/zstd-codes.ts'
import { buildFseTable, createFseTable } from '../src/format/zstd/zstd-fse.ts'
import { concat } from './fixtures.ts'
import type { Codes } from '../src/format/zstd/zstd-codes.ts'
import type { FseTable } from '../src/format/zstd/zstd-fse.ts'

/** A value, and in how many bits it is written. */
export type Field = readonly [value: number, count: number]

/** A literals section of its type (RFC 8878, section 3.1.1.3.1.1). */
export const RAW = 0
export const RLE = 1
export const COMPRESSED = 2
export const TREELESS = 3

/** An integer of some bytes, the lowest first. */
export function uint (value: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => value / 2 ** (8 * i))
}

export function bytes (...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values)
}

/** A frame of one segment, its content size in four bytes. */
export function frame (size: number, ...blocks: readonly Uint8Array[]): Uint8Array {
  return concat(bytes(0x28, 0xb5, 0x2f, 0xfd, 0xa0), uint(size, 4), ...blocks)
}

/** A frame that states its window: 2 ** (10 + window / 8) bytes and so many eighths more. */
export function windowFrame (size: number, window: number, ...blocks: readonly Uint8Array[]): Uint8Array {
  return concat(bytes(0x28, 0xb5, 0x2f, 0xfd, 0x80, window), uint(size, 4), ...blocks)
}

/** A block: type 0 is stored, 1 is one byte many times, 2 is compressed. */
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

/** The same block, and others follow it. */
export function notLast (block: Uint8Array): Uint8Array {
  return block.with(0, block[0] & 0xfe)
}

/** Literals as they are, with the header of 3 bytes. */
export function raw (literals: Uint8Array): Uint8Array {
  return concat(uint(RAW + (3 << 2) + literals.byteLength * 16, 3), literals)
}

/** Literals in a Huffman code. The format 0 is one stream, the others are four, with lengths of 10, 14 and 18 bits. */
export function huffman (type: number, format: number, length: number, ...content: readonly Uint8Array[]): Uint8Array {
  const bits = [10, 10, 14, 18][format]
  const { byteLength } = concat(...content)

  return concat(uint(type + format * 4 + length * 16 + byteLength * 2 ** (4 + bits), [3, 3, 4, 5][format]), ...content)
}

/** Streams with the lengths of the first three in front. */
export function fourStreams (...streams: readonly Uint8Array[]): Uint8Array {
  return concat(...streams.slice(0, 3).map(stream => uint(stream.byteLength, 2)), ...streams)
}

/** A Huffman tree whose weights are there as they are. The last one is not told. */
export function directTree (...weights: readonly number[]): Uint8Array {
  const halves = [...weights, 0]
  const pairs = Array.from({ length: Math.ceil(weights.length / 2) }, (_, i) => halves[2 * i] << 4 | halves[2 * i + 1])

  return bytes(127 + weights.length, ...pairs)
}

/** A Huffman tree whose weights are in a code of their own: the description of its table, and a stream. */
export function compressedTree (...content: readonly Uint8Array[]): Uint8Array {
  const whole = concat(...content)

  return concat(bytes(whole.byteLength), whole)
}

/** Bits that are read from the end: the fields in the order in which they are read. */
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

/** How a table of Finite State Entropy is described (RFC 8878, section 4.1.1). */
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

/** What a state of a table stands for, and where it leads. */
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

/** The state of a symbol that leads to another state. There is one. */
function stateBefore (states: readonly State[], symbol: number, next: number): number {
  return states.findIndex(state => state.symbol === symbol && next >= state.base && next < state.base + 2 ** state.bits)
}

/** The weights of a Huffman tree in a table of accuracy 5, with two states in turns. */
export function weightStream (probabilities: readonly number[], weights: readonly number[]): Uint8Array {
  const table = createFseTable(5)
  buildFseTable(table, { accuracy: 5, probabilities }, [...probabilities.keys()])
  const states = statesOf(table)
  const fields: Field[] = []
  const next: number[] = []

  for (let i = weights.length - 1; i >= 0; i--) {
    const follower = next[i % 2]

    if (follower == null) {
      // the weights end where bits are missing
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

/** How a kind of codes is described: as it is predefined, or with an accuracy and probabilities. */
export type Table = 'predefined' | { accuracy: number, probabilities: readonly number[] }

/** The tables of literal lengths, offsets and match lengths. */
export type Tables = readonly [Table, Table, Table]

export const PREDEFINED: Tables = ['predefined', 'predefined', 'predefined']

/**
 * The sequences of a block, from their number on.
 *
 * @param again - the tables are those of the block before
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
    // what is read last comes first
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
