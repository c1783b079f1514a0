import { LITERAL_LENGTHS, MATCH_LENGTHS, OFFSETS } from './zstd-codes.ts'
import { DESCRIBED_TABLE, LONG_COUNT, PREDEFINED_TABLE, RLE_TABLE } from './zstd-constants.ts'
import { corrupt } from './zstd-frame.ts'
import { buildFseTable, createFseTable, readFseDescription } from './zstd-fse.ts'
import type { Codes } from './zstd-codes.ts'
import type { FseTable } from './zstd-fse.ts'

/** The tables for the sequences of a block, which the next block may reuse. */
export interface Sequences {
  readonly literalLengths: Slot
  readonly offsets: Slot
  readonly matchLengths: Slot
  count: number
  /** The start of the bit stream. */
  start: number
}

interface Slot {
  /** The table in use. */
  table: FseTable | undefined
  /** The memory for tables in a frame. */
  readonly own: FseTable
}

export function createSequences (): Sequences {
  return {
    literalLengths: createSlot(LITERAL_LENGTHS),
    offsets: createSlot(OFFSETS),
    matchLengths: createSlot(MATCH_LENGTHS),
    count: 0,
    start: 0
  }
}

function createSlot ({ maxAccuracy }: Codes): Slot {
  return { table: undefined, own: createFseTable(maxAccuracy) }
}

/**
 * Read the number of sequences in a block, and the tables for their codes (RFC 8878, section
 * 3.1.1.3.2.1).
 *
 * @throws {CorruptFrameError}
 */
export function readSequencesHeader (sequences: Sequences, frame: Uint8Array, position: number, end: number): void {
  const first = frame[position]
  const behind = position + (first < 128 ? 1 : first < 255 ? 2 : 3)

  if (behind > end) {
    throw corrupt('a number of sequences is cut short')
  }

  sequences.start = behind
  sequences.count = first < 128
    ? first
    : first < 255
      ? (first - 128 << 8) + frame[position + 1]
      : frame[position + 1] + (frame[position + 2] << 8) + LONG_COUNT

  if (sequences.count > 0) {
    readTables(sequences, frame, behind, end)
  }
}

function readTables (sequences: Sequences, frame: Uint8Array, position: number, end: number): void {
  const modes = frame[position++]

  if (position > end) {
    throw corrupt('tables of sequences are cut short')
  }

  if ((modes & 3) !== 0) {
    throw corrupt('a reserved bit is set')
  }

  position = readTable(sequences.literalLengths, LITERAL_LENGTHS, modes >> 6, frame, position, end)
  position = readTable(sequences.offsets, OFFSETS, modes >> 4 & 3, frame, position, end)
  sequences.start = readTable(sequences.matchLengths, MATCH_LENGTHS, modes >> 2 & 3, frame, position, end)
}

/** @returns the position after the table */
function readTable (
  slot: Slot,
  { maxAccuracy, meanings, predefined }: Codes,
  mode: number,
  frame: Uint8Array,
  position: number,
  end: number
): number {
  if (mode === PREDEFINED_TABLE) {
    slot.table = predefined

    return position
  }

  if (mode === RLE_TABLE) {
    if (position >= end || frame[position] >= meanings.length) {
      throw corrupt('a code of sequences is unknown')
    }

    slot.table = slot.own
    slot.own.accuracy = 0
    slot.own.cells[0] = meanings[frame[position]]

    return position + 1
  }

  if (mode === DESCRIBED_TABLE) {
    const description = readFseDescription(frame, position, end, maxAccuracy, meanings.length)
    slot.table = slot.own
    buildFseTable(slot.own, description, meanings)

    return description.end
  }

  if (slot.table == null) {
    throw corrupt('a table is reused before there is one')
  }

  return position
}
