import { concat } from './bytes.ts'

/**
 * Read a whole stream that another program sends. (it-all and node:stream/consumers read without a limit.)
 *
 * @param tooLarge - makes the error for more than `max` bytes. The stream is closed before it is thrown
 * @returns without copying if it is in one piece
 */
export async function readAtMost (
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  max: number,
  tooLarge: () => Error
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0

  for await (const piece of source) {
    size += piece.byteLength

    if (size > max) {
      throw tooLarge()
    }

    pieces.push(piece)
  }

  return concat(pieces)
}

/** The same for a text in UTF-8. */
export async function readTextAtMost (...args: Parameters<typeof readAtMost>): Promise<string> {
  return new TextDecoder().decode(await readAtMost(...args))
}
