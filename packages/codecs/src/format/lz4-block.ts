import { CorruptFrameError } from '../errors.ts'

const MIN_MATCH = 4
/** The last bytes of a block are literals (LZ4 Block Format, "End of block conditions"). */
const LAST_LITERALS = 5
/** No match begins closer to the end than this. The reference decoder refuses a block where one does. */
const MATCH_LIMIT = 12
const MAX_OFFSET = 65535
const HASH_LOG = 14

/** A length of 15 or more in a token goes on in bytes of their own. */
const LONG = 15

/** From here on a run is copied by the engine, below it byte by byte. */
const COPY_BY_ENGINE = 32

/** Compress into one LZ4 block, see {@link encodeLz4Block}. */
export function compressLz4Block (source: Uint8Array): Uint8Array {
  // whatever the bytes are, a block of them is no longer than this
  const target = new Uint8Array(source.byteLength + Math.floor(source.byteLength / 255) + 16)

  return target.subarray(0, encodeLz4Block(source, target))
}

/**
 * Compress into one LZ4 block, greedily and with one hash table, as the fast mode
 * of the reference does.
 *
 * lz4js is not used: it lets matches begin in the last 12 bytes, and the `lz4`
 * tool then refuses the block.
 *
 * @param target - at least `length + length / 255 + 16` bytes for any input
 * @returns how many bytes of `target` the block takes
 */
function encodeLz4Block (source: Uint8Array, target: Uint8Array): number {
  const table = new Int32Array(1 << HASH_LOG)
  const lastMatch = source.byteLength - MATCH_LIMIT
  const matchEnd = source.byteLength - LAST_LITERALS
  let anchor = 0
  let position = 0
  let to = 0

  while (position <= lastMatch) {
    const sequence = readSequence(source, position)
    const slot = hash(sequence)
    let match = table[slot]
    table[slot] = position

    if (match >= position || position - match > MAX_OFFSET || readSequence(source, match) !== sequence) {
      // the longer nothing matches, the larger the steps
      position += 1 + (position - anchor >> 6)
      continue
    }

    while (position > anchor && match > 0 && source[position - 1] === source[match - 1]) {
      position--
      match--
    }

    const offset = position - match
    let end = position + MIN_MATCH

    while (end < matchEnd && source[end] === source[end - offset]) {
      end++
    }

    to = writeSequence(target, to, source, anchor, position, offset, end - position)
    anchor = end
    position = end

    if (position <= lastMatch) {
      table[hash(readSequence(source, position - 2))] = position - 2
    }
  }

  return writeLiterals(target, to, source, anchor, source.byteLength, 0)
}

function readSequence (source: Uint8Array, position: number): number {
  return source[position] | source[position + 1] << 8 | source[position + 2] << 16 | source[position + 3] << 24
}

/** Fibonacci hashing, as the reference does it. */
function hash (sequence: number): number {
  return Math.imul(sequence, 0x9e3779b1) >>> 32 - HASH_LOG
}

function writeSequence (target: Uint8Array, to: number, source: Uint8Array, anchor: number, position: number, offset: number, length: number): number {
  const matchLength = length - MIN_MATCH

  to = writeLiterals(target, to, source, anchor, position, Math.min(matchLength, LONG))
  target[to++] = offset
  target[to++] = offset >> 8

  return matchLength < LONG ? to : writeLength(target, to, matchLength - LONG)
}

/** A token, and the literals from `start` up to and without `end`. */
function writeLiterals (target: Uint8Array, to: number, source: Uint8Array, start: number, end: number, matchToken: number): number {
  const length = end - start

  target[to++] = Math.min(length, LONG) << 4 | matchToken

  if (length >= LONG) {
    to = writeLength(target, to, length - LONG)
  }

  if (length > COPY_BY_ENGINE) {
    target.set(source.subarray(start, end), to)

    return to + length
  }

  while (start < end) {
    target[to++] = source[start++]
  }

  return to
}

function writeLength (target: Uint8Array, to: number, rest: number): number {
  while (rest >= 255) {
    target[to++] = 255
    rest -= 255
  }

  target[to++] = rest

  return to
}

/**
 * Decompress one LZ4 block (LZ4 Block Format) from `source` to `target` at
 * `start`.
 *
 * @param history - the position in `target` that matches may reach back to: `start`
 *   where blocks are independent
 * @returns the position in `target` behind the block's bytes
 * @throws {CorruptFrameError} a length or an offset leads outside
 */
export function decodeLz4Block (source: Uint8Array, target: Uint8Array, start: number, end: number, history: number = start): number {
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
      throw corrupt('a run of literals leads outside')
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
      throw corrupt('a match leads outside')
    }

    if (offset >= length && length > COPY_BY_ENGINE) {
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

/**
 * Check that no match of a block has the offset 0, for a decoder that does not.
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

    // the last sequence has no match, and what leads outside is for the decoder to refuse
    if (position + 2 > end) {
      return
    }

    if ((source[position] | source[position + 1]) === 0) {
      throw corrupt('a match leads outside')
    }

    position += 2

    if ((token & LONG) === LONG) {
      while (position < end && source[position++] === 255) {
        // the length of the match does not matter
      }
    }
  }
}

function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('lz4', reason)
}
