import { lz4 } from '@ipfsz/codecs/lz4'
import { FRAME } from '../frames/frame.ts'
import type { Codec } from '@ipfsz/codecs'
import type { StreamCodec } from './stream-codec.ts'

/** The cheap one: a frame of LZ4 in each frame, without any memory of what went before. */
export const lz4Codec: StreamCodec = {
  type: FRAME.lz4,
  id: 'lz4',
  independent: true,
  maxLevel: 1,

  createEncoder: () => ({ encode: async bytes => [await shared().compress(bytes)], close: () => {} }),
  createDecoder: () => ({ decode: async (bytes, size) => [await shared().decompress(bytes, { size })], close: () => {} })
}

let codec: Codec | undefined

/** One for all connections. Without workers: a frame takes less time than its way to one and back. */
function shared (): Codec {
  codec ??= lz4({ workers: false })

  return codec
}
