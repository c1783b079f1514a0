/** The field of a root's UnixFS message with the compression header (docs/format.md, section 3). */
const HEADER_FIELD = 1445
/** The field of the header with the length of every frame. */
const LENGTHS_FIELD = 5

/** The protobuf wire types in these messages. */
const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5

/**
 * The length of each frame of a compressed file, for the picture. Reading does not need
 * this: `@ipfsz/core` reads and checks the header.
 */
export function frameLengths (unixfs: Uint8Array): number[] {
  const header = field(unixfs, HEADER_FIELD)
  const lengths = (header == null ? undefined : field(header, LENGTHS_FIELD)) ?? new Uint8Array(0)
  const numbers: number[] = []

  for (let at = 0; at < lengths.byteLength;) {
    const [value, next] = varint(lengths, at)
    numbers.push(value)
    at = next
  }

  return numbers
}

/** The content of a bytes field. */
function field (message: Uint8Array, wanted: number): Uint8Array | undefined {
  for (let at = 0; at < message.byteLength;) {
    const [tag, begin] = varint(message, at)
    const type = tag % 8
    const [value, behind] = type === VARINT || type === BYTES ? varint(message, begin) : [0, begin]

    if (type === BYTES && Math.floor(tag / 8) === wanted) {
      return message.subarray(behind, behind + value)
    }

    if (type !== VARINT && type !== BYTES && type !== FIXED_32 && type !== FIXED_64) {
      return undefined
    }

    at = behind + (type === BYTES ? value : type === FIXED_64 ? 8 : type === FIXED_32 ? 4 : 0)
  }

  return undefined
}

/** A varint, and the offset after it. */
function varint (bytes: Uint8Array, at: number): [number, number] {
  let value = 0
  let factor = 1

  for (const [i, byte] of bytes.subarray(at).entries()) {
    value += (byte & 0x7f) * factor
    factor *= 128

    if (byte < 0x80) {
      return [value, at + i + 1]
    }
  }

  return [value, bytes.byteLength]
}
