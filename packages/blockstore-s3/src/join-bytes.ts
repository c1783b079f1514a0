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
  // a source that stalls must not keep an abort waiting
  const bytes = value instanceof Uint8Array ? value : await raceSignal(join(value, max), signal)

  if (bytes.byteLength > max) {
    throw new RangeError(`it exceeds the limit of ${max} bytes`)
  }

  return bytes
}

async function join (chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, max: number): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  let size = 0

  for await (const chunk of chunks) {
    all.push(chunk)
    size += chunk.byteLength

    if (size > max) {
      throw new RangeError(`it exceeds the limit of ${max} bytes`)
    }
  }

  return all.length === 1 ? all[0] : Buffer.concat(all)
}
