import { equals } from 'uint8arrays/equals'
import { CorruptFrameError } from '../../errors.ts'
import { readUint32, writeUint32 } from '../bytes/little-endian.ts'
import { combineCrc32 } from '../checksums/combine-crc32.ts'
import { FINAL_BLOCK, JOINABLE_HEADER, TRAILER_LENGTH } from './gzip-member.ts'

/** What follows the deflate blocks of a member. */
const END_LENGTH = FINAL_BLOCK.byteLength + TRAILER_LENGTH
const FRAMING_LENGTH = JOINABLE_HEADER.byteLength + END_LENGTH

/**
 * Whether a gzip member can be joined with others: whether it was written by this package with the
 * extra subfield "IZ".
 *
 * @param start - its first 16 bytes, or more
 */
export function isJoinable (start: Uint8Array): boolean {
  return equals(start.subarray(0, JOINABLE_HEADER.byteLength), JOINABLE_HEADER)
}

/** The number of bytes that joining yields, from the number of bytes of each member. */
export function joinedLength (lengths: Iterable<number>): number {
  let joined = FRAMING_LENGTH

  for (const length of lengths) {
    joined += length - FRAMING_LENGTH
  }

  return joined
}

/**
 * Join gzip members into one that decodes to the same bytes, without decompressing them. Browsers and
 * curl decode only the first of several members that have `Content-Encoding: gzip`.
 *
 * The checksums of the members are combined, not checked: the reader checks the result.
 *
 * @param stored - the bytes of all members
 * @param lengths - the number of bytes of each
 * @throws {CorruptFrameError} a member is not joinable, or the bytes end too soon
 */
export async function * joinMembers (
  stored: AsyncIterable<Uint8Array>,
  lengths: Iterable<number>
): AsyncGenerator<Uint8Array> {
  const members = lengths[Symbol.iterator]()
  const framing = new Framing()
  let member = members.next()
  let position = 0

  yield JOINABLE_HEADER.slice()

  for await (const bytes of stored) {
    for (let offset = 0; offset < bytes.byteLength && member.done !== true;) {
      const length = checkLength(member.value)
      const part = bytes.subarray(offset, offset + length - position)
      const blocks = framing.take(part, position, length)

      if (blocks.byteLength > 0) {
        yield blocks
      }

      offset += part.byteLength
      position += part.byteLength

      if (position === length) {
        framing.endMember()
        position = 0
        member = members.next()
      }
    }
  }

  if (member.done !== true) {
    throw corrupt('it is cut short')
  }

  yield framing.end()
}

/**
 * Like `joinMembers`, for members that are made while they are joined. Yields nothing before the first member is
 * there, so that a failure until then is one before the first byte.
 *
 * @param members - whole joinable members, one after the other
 * @throws {CorruptFrameError} a member is not joinable
 */
export async function * joinWholeMembers (members: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const framing = new Framing()
  let begun = false

  for await (const member of members) {
    if (!begun) {
      begun = true
      yield JOINABLE_HEADER.slice()
    }

    const blocks = framing.take(member, 0, checkLength(member.byteLength))

    framing.endMember()

    if (blocks.byteLength > 0) {
      yield blocks
    }
  }

  if (!begun) {
    yield JOINABLE_HEADER.slice()
  }

  yield framing.end()
}

/** Takes headers and trailers off, and makes one trailer of them. */
class Framing {
  readonly #header = new Uint8Array(JOINABLE_HEADER.byteLength)
  readonly #end = new Uint8Array(END_LENGTH)
  #crc = 0
  #size = 0

  /** @returns the part of `bytes` that is deflate blocks */
  take (bytes: Uint8Array, position: number, length: number): Uint8Array {
    const start = clamp(JOINABLE_HEADER.byteLength - position, bytes)
    const end = clamp(length - END_LENGTH - position, bytes)

    this.#header.set(bytes.subarray(0, start), Math.min(position, JOINABLE_HEADER.byteLength))
    this.#end.set(bytes.subarray(end), Math.max(0, position + end - (length - END_LENGTH)))

    return bytes.subarray(start, end)
  }

  endMember (): void {
    if (!isJoinable(this.#header) || !equals(this.#end.subarray(0, FINAL_BLOCK.byteLength), FINAL_BLOCK)) {
      throw corrupt('it is not a joinable member')
    }

    const size = readUint32(this.#end, FINAL_BLOCK.byteLength + 4)

    this.#crc = combineCrc32(this.#crc, readUint32(this.#end, FINAL_BLOCK.byteLength), size)
    // the trailer has the size modulo 2^32 (RFC 1952, section 2.3.1)
    this.#size = (this.#size + size) % 2 ** 32
  }

  end (): Uint8Array {
    const end = new Uint8Array(END_LENGTH)

    end.set(FINAL_BLOCK)
    writeUint32(end, FINAL_BLOCK.byteLength, this.#crc)
    writeUint32(end, FINAL_BLOCK.byteLength + 4, this.#size)

    return end
  }
}

function clamp (position: number, bytes: Uint8Array): number {
  return Math.max(0, Math.min(position, bytes.byteLength))
}

function checkLength (length: number): number {
  if (length < FRAMING_LENGTH) {
    throw corrupt('it is not a joinable member')
  }

  return length
}

function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('gzip', reason)
}
