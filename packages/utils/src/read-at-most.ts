/**
 * Read a whole stream that another program sends. (it-all and node:stream/consumers read without a limit.)
 *
 * @param tooLarge - makes the error for more than `max` bytes. The stream is closed before it is thrown
 */
export async function readAtMost (
  source: AsyncIterable<Uint8Array>,
  max: number,
  tooLarge: () => Error
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0

  for await (const piece of source) {
    size += piece.byteLength

    if (size > max) {
      throw tooLarge()
    }

    pieces.push(piece)
  }

  return Buffer.concat(pieces)
}
