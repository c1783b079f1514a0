import { CorruptFrameError } from '../errors.ts'

const MIN_MATCH = 4

/**
 * Decompress one LZ4 block (LZ4 Block Format) from `source` to `target` at
 * `start`. Matches may not reach before `start`: blocks are independent.
 *
 * lz4js has a decoder too, but it checks neither offsets nor the end of the
 * target, and a hostile length keeps it counting for seconds.
 *
 * @returns the position in `target` behind the block's bytes
 * @throws {CorruptFrameError} a length or an offset leads outside
 */
export function decodeLz4Block (source: Uint8Array, target: Uint8Array, start: number, end: number): number {
  const sourceEnd = source.byteLength
  let from = 0
  let to = start

  while (from < sourceEnd) {
    const token = source[from++]
    let literals = token >> 4

    if (literals === 15) {
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
      throw corrupt('a run of literals leads outside')
    }

    if (literals > 32) {
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

    if (length === 15 + MIN_MATCH) {
      let more = 255

      while (more === 255) {
        if (from >= sourceEnd) {
          throw corrupt('a block is cut short')
        }

        more = source[from++]
        length += more
      }
    }

    if (offset === 0 || offset > to - start || to + length > end) {
      throw corrupt('a match leads outside')
    }

    if (offset >= length && length > 32) {
      target.copyWithin(to, to - offset, to - offset + length)
      to += length
    } else {
      // byte by byte: a match may overlap what it writes
      for (let match = to - offset, stop = to + length; to < stop;) {
        target[to++] = target[match++]
      }
    }
  }

  throw corrupt('a block is cut short')
}

function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('lz4', reason)
}
