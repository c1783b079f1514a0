import { CorruptFrameError } from '../../errors.ts'

// the two low bits of a tag (format_description.txt, section 2)
const LITERAL = 0
const COPY_1 = 1
const COPY_2 = 2

/** Literals of up to 60 bytes have their length in the tag, longer ones in one to four bytes after it. */
const LONGEST_SHORT = 60

/** Shorter runs are copied byte by byte, which is faster than a call to the engine. */
const COPY_BY_ENGINE = 32

/**
 * Decompress one raw Snappy block of `size` bytes.
 *
 * (We use snappyjs only to compress: its decoder reads four-byte lengths and offsets as signed
 * numbers, so it can go backwards and never end.)
 *
 * @throws {CorruptFrameError} a length or an offset is out of range, or the size differs
 */
export function decodeSnappyBlock (source: Uint8Array, size: number): Uint8Array {
  const target = new Uint8Array(size)
  let from = skipSize(source)
  let to = 0

  while (from < source.byteLength) {
    const tag = source[from++]
    const kind = tag & 3

    if (kind === LITERAL) {
      let length = (tag >> 2) + 1

      if (length > LONGEST_SHORT) {
        const width = length - LONGEST_SHORT
        length = readNumber(source, from, width) + 1
        from += width
      }

      if (from + length > source.byteLength || to + length > size) {
        throw corrupt('a literal is out of range')
      }

      if (length > COPY_BY_ENGINE) {
        target.set(source.subarray(from, from + length), to)
        from += length
        to += length
      } else {
        for (const end = from + length; from < end;) {
          target[to++] = source[from++]
        }
      }

      continue
    }

    let length = (tag >> 2) + 1
    let offset

    if (kind === COPY_1) {
      length = (tag >> 2 & 7) + 4
      offset = (tag >> 5) << 8 | readNumber(source, from, 1)
      from += 1
    } else {
      const width = kind === COPY_2 ? 2 : 4
      offset = readNumber(source, from, width)
      from += width
    }

    if (offset === 0 || offset > to || to + length > size) {
      throw corrupt('a copy is out of range')
    }

    if (offset >= length && length > COPY_BY_ENGINE) {
      target.copyWithin(to, to - offset, to - offset + length)
      to += length
    } else {
      // byte by byte: a copy may overlap its own output
      for (let copy = to - offset, end = to + length; to < end;) {
        target[to++] = target[copy++]
      }
    }
  }

  if (to !== size) {
    throw corrupt(`a block holds ${to} bytes instead of ${size}`)
  }

  return target
}

/** The position after the size at the start of a block, which snappy-framing.ts has checked. */
function skipSize (source: Uint8Array): number {
  return source.findIndex(byte => byte < 0x80) + 1
}

/** An unsigned little-endian number of one to four bytes. */
function readNumber (source: Uint8Array, position: number, width: number): number {
  if (position + width > source.byteLength) {
    throw corrupt('a block is cut short')
  }

  let number = 0

  for (let i = width - 1; i >= 0; i--) {
    number = number * 256 + source[position + i]
  }

  return number
}

function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('snappy', reason)
}
