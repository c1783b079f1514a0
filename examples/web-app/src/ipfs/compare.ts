import { allCodecs } from '@ipfsz/codecs/all'
import type { CodecName } from '@ipfsz/codecs'

/** The result of one codec. */
export interface Comparison {
  codec: CodecName
  level: number
  /** Compressed bytes. */
  length: number
  /** Millions of original bytes per second. */
  compress: number
  decompress: number
}

/** How many bytes are tried: one frame. */
export const SAMPLE_SIZE = 4 * 1024 * 1024

/** Try every codec at its default level, one after the other: in parallel they would slow each other down. */
export async function * compareCodecs (bytes: Uint8Array, signal?: AbortSignal): AsyncGenerator<Comparison> {
  for (const codec of allCodecs({ deterministic: true })) {
    // starts the worker first, which takes longer than a small frame
    const start = await codec.compress(bytes.subarray(0, 1024), { signal })
    await codec.decompress(start, { size: Math.min(1024, bytes.byteLength), signal })

    const begin = performance.now()
    const frame = await codec.compress(bytes, { signal })
    const middle = performance.now()
    await codec.decompress(frame, { size: bytes.byteLength, signal })
    const end = performance.now()

    yield {
      codec: codec.name,
      level: codec.levels.default,
      length: frame.byteLength,
      compress: speed(bytes, middle - begin),
      decompress: speed(bytes, end - middle)
    }
  }
}

function speed ({ byteLength }: Uint8Array, milliseconds: number): number {
  return byteLength / 1000 / Math.max(milliseconds, 0.1)
}
