import { countBits } from './zstd-bits.ts'
import { LITERAL_LENGTHS, MATCH_LENGTHS } from './zstd-codes.ts'
import { copyMatch } from './zstd-copy.ts'
import { corrupt } from './zstd-frame.ts'
import type { FseTable } from './zstd-fse.ts'
import type { CompressedBlock, Literals } from './zstd-literals.ts'
import type { Sequences } from './zstd-sequences.ts'

/** Higher codes would exceed the output of any frame with any dictionary. All bits of an offset fit into one read. */
const MAX_OFFSET_CODE = 25
/** The number of valid bits after a read of four bytes, at least. */
const BITS_AT_ONCE = 25

/** The decoded bytes, and the three most recent offsets, the latest first (RFC 8878, section 3.1.1.5). */
export interface Output {
  readonly bytes: Uint8Array
  readonly view: DataView
  position: number
  readonly offsets: Int32Array
}

/**
 * Decode and execute the sequences of a block (RFC 8878, section 3.1.1.3.2): each copies
 * literals, then a match. The remaining literals follow at the end.
 *
 * @throws {CorruptFrameError}
 */
export function executeSequences (
  sequences: Sequences,
  literals: Literals,
  output: Output,
  block: CompressedBlock
): void {
  const used = sequences.count === 0 ? 0 : runSequences(sequences, literals, output, block)
  const rest = literals.length - used

  if (output.position + rest > block.limit) {
    throw corrupt('a block decodes to too many bytes')
  }

  output.bytes.set(literals.bytes.subarray(used, literals.length), output.position)
  output.position += rest
}

/** @returns the number of literals used */
function runSequences (
  sequences: Sequences,
  literals: Literals,
  output: Output,
  { frame, view, end, limit }: CompressedBlock
): number {
  const { accuracy: literalsAccuracy, cells: literalsCells } = sequences.literalLengths.table as FseTable
  const { accuracy: offsetsAccuracy, cells: offsetsCells } = sequences.offsets.table as FseTable
  const { accuracy: matchesAccuracy, cells: matchesCells } = sequences.matchLengths.table as FseTable
  const literalsValues = LITERAL_LENGTHS.values
  const matchesValues = MATCH_LENGTHS.values
  const { bytes, view: target, offsets } = output
  const { view: source, length: literalsLength } = literals
  const base = sequences.start - 4
  // below this position, copies of several bytes stay within the output
  const roomy = bytes.byteLength - 32
  let left = countBits(frame, sequences.start, end)
  let to = output.position
  let from = 0
  let [offset1, offset2, offset3] = offsets

  if (left < literalsAccuracy + offsetsAccuracy + matchesAccuracy) {
    throw corrupt('a stream of sequences is cut short')
  }

  let next = take(view, base, left)
  let literalsCell = literalsCells[top(next, literalsAccuracy)]
  left -= literalsAccuracy
  next = take(view, base, left)
  let offsetsCell = offsetsCells[top(next, offsetsAccuracy)]
  left -= offsetsAccuracy
  next = take(view, base, left)
  let matchesCell = matchesCells[top(next, matchesAccuracy)]
  left -= matchesAccuracy

  for (let count = sequences.count; ;) {
    const offsetBits = offsetsCell >> 6 & 31
    const matchBits = matchesCell >> 6 & 31
    const literalsBits = literalsCell >> 6 & 31
    let match = matchesValues[matchesCell & 63]
    let run = literalsValues[literalsCell & 63]

    if (left < offsetBits + matchBits + literalsBits || offsetBits > MAX_OFFSET_CODE) {
      throw corrupt(offsetBits > MAX_OFFSET_CODE ? 'a match is out of range' : 'a stream of sequences is cut short')
    }

    next = take(view, base, left)
    let offset = (1 << offsetBits) + top(next, offsetBits)
    left -= offsetBits

    if (matchBits + literalsBits > 0) {
      next = take(view, base, left)
      match += top(next, matchBits)
      left -= matchBits
      next = take(view, base, left)
      run += top(next, literalsBits)
      left -= literalsBits
    }

    if (offset > 3) {
      offset -= 3
      offset3 = offset2
      offset2 = offset1
      offset1 = offset
    } else {
      // without literals the latest offset is not available: it would only extend the previous match
      const index = run === 0 ? offset : offset - 1

      if (index === 0) {
        offset = offset1
      } else {
        offset = index === 1 ? offset2 : index === 2 ? offset3 : offset1 - 1
        offset3 = index === 1 ? offset3 : offset2
        offset2 = offset1
        offset1 = offset
      }
    }

    const start = to + run
    const stop = start + match

    if (from + run > literalsLength || stop > limit) {
      throw corrupt(stop > limit ? 'a block decodes to too many bytes' : 'a run of literals is out of range')
    }

    if (offset > start || offset === 0) {
      throw corrupt('a match is out of range')
    }

    if (stop <= roomy) {
      target.setInt32(to, source.getInt32(from, true), true)
      target.setInt32(to + 4, source.getInt32(from + 4, true), true)

      for (let i = 8; i < run; i += 4) {
        target.setInt32(to + i, source.getInt32(from + i, true), true)
      }
    } else {
      for (let i = 0; i < run; i++) {
        target.setUint8(to + i, source.getUint8(from + i))
      }
    }

    from += run
    to = stop

    let place = start - offset

    if (offset >= 4 && match <= 32 && stop <= roomy) {
      target.setInt32(start, target.getInt32(place, true), true)
      target.setInt32(start + 4, target.getInt32(place + 4, true), true)

      for (let i = start + 8; i < stop; i += 4) {
        place += 4
        target.setInt32(i, target.getInt32(place + 4, true), true)
      }
    } else {
      copyMatch(bytes, start, place, stop)
    }

    if (--count === 0) {
      break
    }

    const literalsNext = literalsCell >> 12 & 15
    const matchesNext = matchesCell >> 12 & 15
    const offsetsNext = offsetsCell >> 12 & 15

    if (left < literalsNext + matchesNext + offsetsNext) {
      throw corrupt('a stream of sequences is cut short')
    }

    next = take(view, base, left)
    literalsCell = literalsCells[(literalsCell >> 16) + top(next, literalsNext)]
    matchesCell = matchesCells[(matchesCell >> 16) + top(next << literalsNext, matchesNext)]
    left -= literalsNext + matchesNext

    if (literalsNext + matchesNext + offsetsNext > BITS_AT_ONCE) {
      next = take(view, base, left)
    } else {
      next <<= literalsNext + matchesNext
    }

    offsetsCell = offsetsCells[(offsetsCell >> 16) + top(next, offsetsNext)]
    left -= offsetsNext
  }

  if (left !== 0) {
    throw corrupt('a stream of sequences does not end with its last bit')
  }

  output.position = to
  offsets[0] = offset1
  offsets[1] = offset2
  offsets[2] = offset3

  return from
}

/** The next bits of a stream, at the top of 32 bits: see zstd-bits.ts. */
function take (view: DataView, base: number, left: number): number {
  return view.getInt32(base + (left + 7 >> 3), true) << (-left & 7)
}

/** The topmost 0 to 31 bits. */
function top (bits: number, count: number): number {
  return bits >>> 1 >>> 31 - count
}
