// Room: what differs between Node and browsers. `imports` in package.json chooses.
import { deflateStream, inflateStream } from '@ipfsz/codecs/deflate-stream'
import { FRAME } from '../frames/frame.ts'
import type { StreamCodec } from '../codecs/stream-codec.ts'

/** CompressionStream has no zstd, and the WebAssembly build in `@ipfsz/codecs` exports no streaming functions. */
export const zstdCodec: StreamCodec | undefined = undefined

/** In JavaScript, since CompressionStream cannot flush. */
export const deflateCodec: StreamCodec = {
  type: FRAME.deflate,
  id: 'deflate',
  independent: false,
  maxLevel: 9,

  createEncoder: level => {
    const stream = deflateStream(level)

    return { encode: bytes => [stream.compress(bytes)], close: () => {} }
  },

  createDecoder: () => {
    const stream = inflateStream()

    return { decode: (bytes, size) => [stream.decompress(bytes, size)], close: () => {} }
  }
}
