import { readAtMost } from '@ipfsz/utils/read-at-most'
import { raceSignal } from 'race-signal'

/**
 * The bytes of a block in one piece: a signature and a length come before the body.
 *
 * @param max - in bytes
 * @throws {RangeError} it has more
 */
export async function joinBytes (
  value: Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  max: number,
  signal: AbortSignal | null | undefined
): Promise<Uint8Array> {
  const tooLarge = (): Error => new RangeError(`it exceeds the limit of ${max} bytes`)
  // a source that stalls must not keep an abort waiting
  const bytes = value instanceof Uint8Array ? value : await raceSignal(readAtMost(value, max, tooLarge), signal)

  if (bytes.byteLength > max) {
    throw tooLarge()
  }

  return bytes
}
