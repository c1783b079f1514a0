// Room: lz4 frames and blocks that we parse or build byte by byte.
import { CorruptFrameError } from '../../errors.ts'

export const MIN_MATCH = 4

/** A length of 15 in a token continues in the following bytes. */
export const LONG = 15

/** Shorter runs are copied byte by byte, which is faster than a call to the engine. */
export const COPY_BY_ENGINE = 32

/** Where a block is decompressed to. */
export interface Lz4Place {
  start: number
  /** Exclusive: the block may be shorter. */
  end: number
  /**
   * The first position that matches may refer to.
   *
   * @default `start`, as blocks are independent
   */
  history?: number
}

/**
 * Decompress one LZ4 block (LZ4 Block Format) from `source` to `target`.
 *
 * @returns the position in `target` after the decoded bytes
 * @throws {CorruptFrameError} a length or an offset is out of range
 */
export function decodeLz4Block (
  source: Uint8Array,
  target: Uint8Array,
  { start, end, history = start }: Lz4Place
): number {
  const sourceEnd = source.byteLength
  let from = 0
  let to = start

  while (from < sourceEnd) {
    const token = source[from++]
    let literals = token >> 4

    if (literals === LONG) {
      let more = 255

      while (more === 255) {
        if (from >= sourceEnd) {
          throw corrupt('a block is cut short')
        }

        more = source[from++]
        literals += more
      }
    }

    if (from + literals > sourceEnd || to + literals > end) {
      throw corrupt('a run of literals is out of range')
    }

    if (literals > COPY_BY_ENGINE) {
      target.set(source.subarray(from, from + literals), to)
      from += literals
      to += literals
    } else {
      for (const stop = from + literals; from < stop;) {
        target[to++] = source[from++]
      }
    }

    // the last sequence has no match
    if (from === sourceEnd) {
      return to
    }

    if (from + 2 > sourceEnd) {
      throw corrupt('a block is cut short')
    }

    const offset = source[from] | source[from + 1] << 8
    from += 2
    let length = (token & 15) + MIN_MATCH

    if (length === LONG + MIN_MATCH) {
      let more = 255

      while (more === 255) {
        if (from >= sourceEnd) {
          throw corrupt('a block is cut short')
        }

        more = source[from++]
        length += more
      }
    }

    if (offset === 0 || offset > to - history || to + length > end) {
      throw corrupt('a match is out of range')
    }

    if (offset >= length && length > COPY_BY_ENGINE) {
      target.copyWithin(to, to - offset, to - offset + length)
      to += length
    } else {
      // byte by byte: a match may overlap its own output
      for (let match = to - offset, stop = to + length; to < stop;) {
        target[to++] = target[match++]
      }
    }
  }

  throw corrupt('a block is cut short')
}

/**
 * Check that no match of a block has the offset 0, for a decoder that does not check it.
 *
 * @throws {CorruptFrameError}
 */
export function checkLz4Offsets (source: Uint8Array): void {
  const end = source.byteLength
  let position = 0

  while (position < end) {
    const token = source[position++]
    let literals = token >> 4

    if (literals === LONG) {
      let more = 255

      while (more === 255 && position < end) {
        more = source[position++]
        literals += more
      }
    }

    position += literals

    // the last sequence has no match. The decoder refuses positions out of range
    if (position + 2 > end) {
      return
    }

    if ((source[position] | source[position + 1]) === 0) {
      throw corrupt('a match is out of range')
    }

    position += 2

    if ((token & LONG) === LONG) {
      while (position < end && source[position++] === 255) {
        // skip the length of the match
      }
    }
  }
}

function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('lz4', reason)
}
