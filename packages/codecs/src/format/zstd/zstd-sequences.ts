import { LITERAL_LENGTHS, MATCH_LENGTHS, OFFSETS } from './zstd-codes.ts'
import { DESCRIBED_TABLE, LONG_COUNT, PREDEFINED_TABLE, RLE_TABLE } from './zstd-constants.ts'
import { corrupt } from './zstd-frame.ts'
import { buildFseTable, createFseTable, readFseDescription } from './zstd-fse.ts'
import type { Codes } from './zstd-codes.ts'
import type { FramePart, FseTable } from './zstd-fse.ts'

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
  readonly codes: Codes
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

function createSlot (codes: Codes): Slot {
  return { codes, table: undefined, own: createFseTable(codes.maxAccuracy) }
}

/**
 * Read the number of sequences in a block, and the tables for their codes (RFC 8878, section
 * 3.1.1.3.2.1).
 *
 * @throws {CorruptFrameError}
 */
export function readSequencesHeader (sequences: Sequences, { frame, start, end }: FramePart): void {
  const first = frame[start]
  const behind = start + (first < 128 ? 1 : first < 255 ? 2 : 3)

  if (behind > end) {
    throw corrupt('a number of sequences is cut short')
  }

  sequences.start = behind
  sequences.count = first < 128
    ? first
    : first < 255
      ? (first - 128 << 8) + frame[start + 1]
      : frame[start + 1] + (frame[start + 2] << 8) + LONG_COUNT

  if (sequences.count > 0) {
    readTables(sequences, { frame, start: behind, end })
  }
}

function readTables (sequences: Sequences, { frame, start, end }: FramePart): void {
  const modes = frame[start]

  if (start >= end) {
    throw corrupt('tables of sequences are cut short')
  }

  if ((modes & 3) !== 0) {
    throw corrupt('a reserved bit is set')
  }

  const part = { frame, start: start + 1, end }
  part.start = readTable(sequences.literalLengths, modes >> 6, part)
  part.start = readTable(sequences.offsets, modes >> 4 & 3, part)
  sequences.start = readTable(sequences.matchLengths, modes >> 2 & 3, part)
}

/** @returns the position after the table */
function readTable (slot: Slot, mode: number, part: FramePart): number {
  const { maxAccuracy, meanings, predefined } = slot.codes
  const { frame, start, end } = part

  if (mode === PREDEFINED_TABLE) {
    slot.table = predefined

    return start
  }

  if (mode === RLE_TABLE) {
    if (start >= end || frame[start] >= meanings.length) {
      throw corrupt('a code of sequences is unknown')
    }

    slot.table = slot.own
    slot.own.accuracy = 0
    slot.own.cells[0] = meanings[frame[start]]

    return start + 1
  }

  if (mode === DESCRIBED_TABLE) {
    const description = readFseDescription(part, maxAccuracy, meanings.length)
    slot.table = slot.own
    buildFseTable(slot.own, description, meanings)

    return description.end
  }

  if (slot.table == null) {
    throw corrupt('a table is reused before there is one')
  }

  return start
}
