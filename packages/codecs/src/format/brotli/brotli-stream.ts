import { CorruptFrameError } from '../../errors.ts'

/** The low seven bits of a stream with a larger window than RFC 7932 allows (section 9.1 leaves the pattern unused). */
const LARGE_WINDOW = 0b0010001

/**
 * Refuse streams with a window above 16 MiB, which some decoders would accept and allocate.
 *
 * @throws {CorruptFrameError}
 */
export function checkBrotliWindow (stream: Uint8Array): void {
  if ((stream[0] & 0x7f) === LARGE_WINDOW) {
    throw new CorruptFrameError('brotli', 'its window is larger than the format allows')
  }
}
