/*
 * zstd frames of raw blocks (RFC 8878, sections 3.1.1.1 and 3.1.1.2): what is compressed already is stored so, and read
 * without decompression. The window is one block: decoders refuse large windows, whatever they would hold.
 */

/** Magic number, descriptor, window descriptor, content size. */
const FRAME_HEADER = 10
/** A content size of four bytes, no checksum, no single segment. */
const DESCRIPTOR = 0x80
/** 2^17 bytes. */
const WINDOW_DESCRIPTOR = 0x38
const BLOCK_SIZE = 128 * 1024
const BLOCK_HEADER = 3

/** Bytes of a raw frame of `size` bytes, of one at least. */
export function rawFrameSize (size: number): number {
  return FRAME_HEADER + size + BLOCK_HEADER * Math.ceil(size / BLOCK_SIZE)
}

/** Write a frame that holds `parts`. */
export function writeRawFrame (target: Buffer, at: number, parts: readonly Uint8Array[], size: number): void {
  target.writeUInt32LE(0xfd2fb528, at)
  target[at + 4] = DESCRIPTOR
  target[at + 5] = WINDOW_DESCRIPTOR
  target.writeUInt32LE(size, at + 6)
  let position = 0

  for (const part of parts) {
    for (let start = 0; start < part.byteLength;) {
      if (position % BLOCK_SIZE === 0) {
        const length = Math.min(BLOCK_SIZE, size - position)
        const isLast = position + length === size
        target.writeUIntLE(length << 3 | (isLast ? 1 : 0), at + physical(position) - BLOCK_HEADER, BLOCK_HEADER)
      }

      const end = Math.min(part.byteLength, start + BLOCK_SIZE - position % BLOCK_SIZE)
      target.set(part.subarray(start, end), at + physical(position))
      position += end - start
      start = end
    }
  }
}

/** Where to read `length` bytes at `position` of the content: offsets from the beginning of the frame. */
export function rawRange (position: number, length: number): { start: number, end: number } {
  return { start: physical(position), end: length === 0 ? physical(position) : physical(position + length - 1) + 1 }
}

/** Take the headers of blocks out of what `rawRange` read. Moves bytes within `bytes`. */
export function stripBlockHeaders (bytes: Uint8Array, position: number, length: number): Uint8Array {
  let from = BLOCK_SIZE - position % BLOCK_SIZE
  let to = from

  while (to < length) {
    from += BLOCK_HEADER
    const size = Math.min(BLOCK_SIZE, length - to)
    bytes.copyWithin(to, from, from + size)
    from += size
    to += size
  }

  return bytes.subarray(0, length)
}

/**
 * Take `length` bytes at `position` of the content out of parts of a frame, which begin where `rawRange` says for
 * `first`. They are copied once, into memory of their own.
 */
export function rawBytesIn (
  parts: readonly Uint8Array[],
  first: number,
  { position, length }: { position: number, length: number }
): Uint8Array {
  // a plain array, which is not zeroed
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
  let partStart = physical(first)

  for (const part of parts) {
    const partEnd = partStart + part.byteLength
    // of the blocks that are in the part
    let at = Math.max(position, first, contentAt(partStart))

    while (at < position + length && physical(at) < partEnd) {
      const end = Math.min(position + length, at + BLOCK_SIZE - at % BLOCK_SIZE, at + partEnd - physical(at))
      bytes.set(part.subarray(physical(at) - partStart, physical(at) - partStart + end - at), at - position)
      at = end
    }

    partStart = partEnd
  }

  return bytes
}

/** The first position of the content that is not before an offset in the frame. */
function contentAt (offset: number): number {
  const inBlocks = Math.max(0, offset - FRAME_HEADER)
  const block = Math.floor(inBlocks / (BLOCK_HEADER + BLOCK_SIZE))

  return block * BLOCK_SIZE + Math.max(0, inBlocks % (BLOCK_HEADER + BLOCK_SIZE) - BLOCK_HEADER)
}

function physical (position: number): number {
  return FRAME_HEADER + position + BLOCK_HEADER * (Math.floor(position / BLOCK_SIZE) + 1)
}
