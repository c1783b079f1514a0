/**
 * A zstd frame that copies its dictionary (RFC 8878, section 3.1.1), for a client that has the very file that it asks
 * for. It depends on the size alone: no codec runs, and nothing is read.
 */

/** `Magic_Number`, and a descriptor: a single segment, with the size of the content in 4 bytes. */
const START = [0x28, 0xb5, 0x2f, 0xfd, 0b1010_0000]

/** `Block_Maximum_Size`, in bytes after decompression. */
const MAX_BLOCK_SIZE = 128 * 1024

/** `Block_Type` of a compressed block. */
const COMPRESSED = 2

/** No literals; one sequence; each of its three codes has a table of one symbol; the first symbol: no literals. */
const ONE_SEQUENCE = [0x00, 0x01, 0b0101_0100, 0x00]

/** Codes of matches from 131 bytes on: this number, plus the number of the extra bits. */
const LONG_MATCH = 36

/** Added to an offset that is none of the last three. */
const NEW_OFFSET = 3

/** @param size - of the dictionary in bytes, 1 KiB or more, and at most what a client accepts as a window */
export function copyFrame (size: number): Uint8Array {
  const count = Math.ceil(size / MAX_BLOCK_SIZE)
  // of about the same length, so that none is too short for a match
  const ends = Array.from({ length: count }, (_, i) => Math.floor((i + 1) * size / count))
  const blocks = ends.map((end, i) => blockOf(copy(end - (ends[i - 1] ?? 0), size), i === count - 1))

  return Uint8Array.from([...START, ...littleEndian(BigInt(size), 4), ...blocks.flat()])
}

function blockOf (content: readonly number[], isLast: boolean): number[] {
  return [...littleEndian(BigInt(content.length << 3 | COMPRESSED << 1 | Number(isLast)), 3), ...content]
}

/** Copy from as far back as the dictionary is long. */
function copy (length: number, dictionarySize: number): number[] {
  const match = splitNumber(length - 3)
  const offset = splitNumber(dictionarySize + NEW_OFFSET)
  // read backwards from the highest bit that is set, which is no part of it: first the offset
  const bits = 1n << BigInt(offset.bits + match.bits) | BigInt(offset.extra) << BigInt(match.bits) | BigInt(match.extra)

  return [
    ...ONE_SEQUENCE,
    offset.bits,
    LONG_MATCH + match.bits,
    ...littleEndian(bits, Math.floor((offset.bits + match.bits) / 8) + 1)
  ]
}

/** A number as a power of two, and the bits below it. */
function splitNumber (value: number): { bits: number, extra: number } {
  const bits = Math.floor(Math.log2(value))

  return { bits, extra: value - 2 ** bits }
}

function littleEndian (value: bigint, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, i) => Number(value >> BigInt(8 * i) & 0xffn))
}
