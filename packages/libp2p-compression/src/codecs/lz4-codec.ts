// Room: the codecs of connections.
import { lz4 } from '@ipfsz/codecs/lz4'
import { FRAME } from '../frames/frame.ts'
import type { Codec } from '@ipfsz/codecs'
import type { StreamCodec } from './stream-codec.ts'

/** The cheapest codec: each frame holds one LZ4 frame, which refers to no earlier one. */
export const lz4Codec: StreamCodec = {
  type: FRAME.lz4,
  id: 'lz4',
  independent: true,
  maxLevel: 1,

  createEncoder: () => ({ encode: async bytes => [await shared().compress(bytes)], close: () => {} }),
  createDecoder: () => ({
    decode: async (bytes, size) => [await shared().decompress(bytes, { size })],
    close: () => {}
  })
}

let codec: Codec | undefined

/** One codec for all connections, without workers: compressing a frame takes less time than reaching a worker. */
function shared (): Codec {
  codec ??= lz4({ workers: false })

  return codec
}
