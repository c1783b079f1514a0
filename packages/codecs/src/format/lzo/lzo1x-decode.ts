// Room: lzop files, and LZO1X itself: no other implementation is used.
import {
  corrupt,
  END_MARKER,
  FIRST_RUN,
  M2_MARKER,
  M2_MAX_OFFSET,
  M3_MARKER,
  M3_MAX_LENGTH,
  M3_MAX_OFFSET,
  M4_MARKER,
  M4_MAX_LENGTH,
  MATCH_BASE,
  RUN_BASE,
  RUN_MAX_LENGTH
} from './lzo1x.ts'

/** At least this many literals came before. The meaning of a byte below {@link M4_MARKER} depends on it. */
const MANY = 4

/**
 * Decompress one LZO1X stream from `source` to `target`, between `start` and `end`. It may
 * overwrite everything up to `end`. Matches may not refer to bytes before `start`: blocks are
 * independent.
 *
 * @returns the position in `target` after the decoded bytes
 * @throws {CorruptFrameError} the stream is cut short, refers to bytes out of range, or is followed by other bytes
 */
export function decodeLzo1x (source: Uint8Array, target: Uint8Array, start: number, end: number): number {
  // copying four bytes as one number reaches 300 MB/s of text instead of 180
  const input = new DataView(source.buffer, source.byteOffset, source.byteLength)
  const output = new DataView(target.buffer, target.byteOffset, target.byteLength)
  const sourceEnd = source.byteLength
  // no instruction reads beyond the end, apart from long lengths: the end marker is as long as any
  const lastInstruction = sourceEnd - END_MARKER.byteLength
  let from = 0
  let to = start
  let literals = 0

  if (sourceEnd > 0 && source[0] > FIRST_RUN) {
    const length = source[0] - FIRST_RUN
    to = copyLiterals(input, 1, output, to, length, end)
    from = 1 + length
    literals = Math.min(length, MANY)
  }

  for (;;) {
    if (from > lastInstruction) {
      throw corrupt('a block is cut short')
    }

    const code = source[from++]
    // the lowest bits are the number of literals that follow
    let low = code
    let length: number
    let offset: number

    if (code >= M2_MARKER) {
      length = (code >> 5) + 1
      offset = (source[from++] << 3) + (code >> 2 & 7) + 1
    } else if (code >= M4_MARKER) {
      const max = code >= M3_MARKER ? M3_MAX_LENGTH : M4_MAX_LENGTH
      length = code & max

      if (length === 0) {
        const zeros = from
        from = skipZeros(source, from)
        length = max + (from - zeros) * 255 + source[from++]

        if (from > sourceEnd - 2) {
          throw corrupt('a block is cut short')
        }
      }

      length += MATCH_BASE
      low = source[from++]
      offset = (low >> 2) + (source[from++] << 6) + 1

      if (code < M3_MARKER) {
        offset += M3_MAX_OFFSET - 1 + ((code & 8) << 11)

        if (offset === M3_MAX_OFFSET) {
          // lzop also reads, but never writes, markers with another length or with literals
          if (code !== END_MARKER[0] || low !== 0 || from !== sourceEnd) {
            throw corrupt('a block does not end with its end marker')
          }

          return to
        }
      }
    } else if (literals === 0) {
      length = code

      if (length === 0) {
        const zeros = from
        from = skipZeros(source, from)
        length = RUN_MAX_LENGTH + (from - zeros) * 255 + source[from++]
      }

      length += RUN_BASE
      to = copyLiterals(input, from, output, to, length, end)
      from += length
      literals = MANY
      continue
    } else {
      // M1
      length = literals === MANY ? 3 : 2
      offset = (source[from++] << 2) + (code >> 2) + 1 + (literals === MANY ? M2_MAX_OFFSET : 0)
    }

    if (offset > to - start || to + length > end) {
      throw corrupt('a match is out of range')
    }

    const stop = to + length
    let match = to - offset

    if (offset >= 4 && stop + 8 <= end) {
      // most matches have at most 8 bytes. Bytes copied beyond the match are overwritten later
      output.setInt32(to, output.getInt32(match, true), true)
      output.setInt32(to + 4, output.getInt32(match + 4, true), true)

      for (to += 8, match += 8; to < stop; to += 4, match += 4) {
        output.setInt32(to, output.getInt32(match, true), true)
      }

      to = stop
    } else {
      // byte by byte: the match overlaps its own output, or is close to the end
      while (to < stop) {
        target[to++] = target[match++]
      }
    }

    literals = low & 3

    if (from <= sourceEnd - 4 && to <= end - 4) {
      output.setInt32(to, input.getInt32(from, true), true)
      to += literals
    } else {
      to = copyLiterals(input, from, output, to, literals, end)
    }

    from += literals
  }
}

function copyLiterals (
  input: DataView,
  from: number,
  output: DataView,
  to: number,
  length: number,
  end: number
): number {
  const fromEnd = from + length
  const toEnd = to + length

  if (fromEnd > input.byteLength || toEnd > end) {
    throw corrupt('a run of literals is out of range')
  }

  if (fromEnd + 4 <= input.byteLength && toEnd + 4 <= end) {
    for (; to < toEnd; from += 4, to += 4) {
      output.setInt32(to, input.getInt32(from, true), true)
    }
  } else {
    while (to < toEnd) {
      output.setUint8(to++, input.getUint8(from++))
    }
  }

  return toEnd
}

/** The position of the first nonzero byte. Each zero before it adds 255 to a length. */
function skipZeros (source: Uint8Array, from: number): number {
  while (from < source.byteLength) {
    if (source[from] !== 0) {
      return from
    }

    from++
  }

  throw corrupt('a length is cut short')
}
