import { joinWholeMembers, storeMember } from '@ipfsz/codecs/gzip-members'

/** How many bytes are compressed at a time. Each piece starts without a window, which costs 1 % at this size. */
export const PIECE_SIZE = 512 * 1024

/**
 * Compress a stream as one gzip member, a piece at a time. What there is no time to compress goes into stored
 * blocks, as it is.
 *
 * @param compress - makes a joinable member, or undefined if there is no time for it
 */
export async function * gzipStream (
  source: AsyncIterable<Uint8Array>,
  compress: (piece: Uint8Array) => Promise<Uint8Array | undefined>
): AsyncGenerator<Uint8Array> {
  yield * joinWholeMembers(membersOf(source, compress))
}

async function * membersOf (
  source: AsyncIterable<Uint8Array>,
  compress: (piece: Uint8Array) => Promise<Uint8Array | undefined>
): AsyncGenerator<Uint8Array> {
  for await (const piece of cutIntoPieces(source)) {
    yield await compress(piece) ?? storeMember(piece)
  }
}

/** All but the last have `PIECE_SIZE` bytes. A piece is valid until the next one is asked for. */
async function * cutIntoPieces (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(PIECE_SIZE)
  let length = 0

  for await (const bytes of source) {
    for (let offset = 0; offset < bytes.byteLength;) {
      const part = bytes.subarray(offset, offset + PIECE_SIZE - length)
      buffer.set(part, length)
      length += part.byteLength
      offset += part.byteLength

      if (length === PIECE_SIZE) {
        yield buffer
        length = 0
      }
    }
  }

  if (length > 0) {
    yield buffer.subarray(0, length)
  }
}
