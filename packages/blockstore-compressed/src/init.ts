import type { Codec, CodecName } from '@ipfsz/codecs'
import type { Metrics } from '@libp2p/interface'
import type { MultihashHasher } from 'multiformats/hashes/interface'

/**
 * What to check when a block is read.
 *
 * - `hash`: the block matches its CID
 * - `length`: a compressed block is as long as its envelope says
 * - `none`: neither
 *
 * A frame that is cut short, cannot be decoded or decodes to too many bytes is always
 * refused. Only `hash` finds a flipped bit in a zstd, lz4, brotli or lzo frame, which can
 * still be decoded: these frames have no checksum here.
 *
 * A stored value that begins like an envelope is hashed at the first read even with `length`
 * and `none`: it may be an old block that was stored plain. The store remembers the result
 * for many blocks.
 */
export type Verify = 'hash' | 'length' | 'none'

/** Options for reading. */
export interface ReadInit {
  /**
   * The codecs to read and write with.
   *
   * @default every codec of @ipfsz/codecs
   */
  codecs?: readonly Codec[] | undefined

  /** Hashers besides sha2-256, sha2-512 and identity. Pass the same as to Helia. */
  hashers?: readonly MultihashHasher[] | undefined

  /**
   * Maximum bytes of a block. Larger blocks are refused on put and on get, so this also
   * bounds the memory that a stored value can claim. Blocks above 16 MiB are not compressed.
   *
   * @default 16777216
   */
  maxBlockSize?: number | undefined
}

/** The same options, with the codecs to read and write with, from `@ipfsz/codecs`. */
export type WithCodecs<Init extends ReadInit> = Init & { codecs: readonly Codec[] }

/** Options for writing. */
export interface WriteInit extends ReadInit {
  /**
   * The codec for new blocks, or `none` to store them plain. Blocks that were stored with
   * another codec stay readable.
   *
   * @default 'zstd'
   */
  codec?: CodecName | 'none' | undefined

  /**
   * The compression level, within the codec's levels.
   *
   * @default the codec's default level
   */
  level?: number | undefined

  /**
   * Blocks of fewer bytes are not compressed.
   *
   * @default 128
   */
  minSize?: number | undefined
}

export interface CompressedBlockstoreInit extends WriteInit {
  /**
   * What to check when a block is read.
   *
   * @default 'hash'
   */
  verify?: Verify | undefined

  /** Counts blocks and bytes. Pass the metrics that Helia or libp2p has. */
  metrics?: Pick<Metrics, 'registerCounterGroup'> | undefined
}
