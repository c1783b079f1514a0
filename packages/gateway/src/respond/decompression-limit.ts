import { GatewayError } from '../errors.ts'

/**
 * Pass bytes on, up to a limit. Above it the body is cut.
 *
 * @throws {GatewayError} 403: there are more
 */
export async function * limitBytes (source: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let left = limit

  for await (const bytes of source) {
    left -= bytes.byteLength

    if (left < 0) {
      throw tooLarge(limit)
    }

    yield bytes
  }
}

/** Refuses what a gateway would have to decompress, and is larger than it allows. */
export function tooLarge (limit: number): GatewayError {
  return new GatewayError(403, `This gateway decompresses at most ${limit} bytes for one response`)
}
