import type { Codec, CodecName } from '@ipfsz/codecs'
import type { Metrics } from '@libp2p/interface'
import type { MultihashHasher } from 'multiformats/hashes/interface'

/**
 * How what is read is checked.
 *
 * - `hash`: every block is compared with its CID
 * - `length`: a compressed block is as long as its envelope says
 * - `none`: neither. What a codec gives is handed on
 *
 * Codecs refuse frames that cannot be decoded, are cut short or decode to more than they
 * should, whatever is chosen here. A flipped bit in a frame of zstd, lz4, brotli or lzo can
 * be decoded: those have no checksum here, and only `hash` finds it. A stored value that
 * begins like an envelope is hashed when its block is read first, as it may be an old block
 * that was stored as it is. Of many blocks a store remembers that they do not begin so.
 */
export type Verify = 'hash' | 'length' | 'none'

/** What reading takes. */
export interface ReadInit {
  /**
   * The codecs to read and write with.
   *
   * @default every codec of @ipfsz/codecs
   */
  codecs?: readonly Codec[] | undefined

  /** Hash functions besides sha2-256, sha2-512 and identity: those that Helia was given. */
  hashers?: readonly MultihashHasher[] | undefined

  /**
   * The most bytes of a block. Larger ones are refused on the way in and on the way
   * out, so this also bounds the memory that a stored value can claim. Blocks above
   * 16 MiB are stored as they are.
   *
   * @default 16777216
   */
  maxBlockSize?: number | undefined
}

/** What writing takes. */
export interface WriteInit extends ReadInit {
  /**
   * What new blocks are compressed with, or `none` to store them as they are. What is
   * stored already is read whatever it was compressed with.
   *
   * @default 'zstd'
   */
  codec?: CodecName | 'none' | undefined

  /**
   * The compression level, within the codec's levels.
   *
   * @default the codec's own
   */
  level?: number | undefined

  /**
   * Blocks of fewer bytes are stored as they are.
   *
   * @default 128
   */
  minSize?: number | undefined
}

export interface CompressedBlockstoreInit extends WriteInit {
  /**
   * How what is read is checked.
   *
   * @default 'hash'
   */
  verify?: Verify | undefined

  /** Where blocks and bytes are counted: the metrics that Helia or libp2p has. */
  metrics?: Pick<Metrics, 'registerCounterGroup'> | undefined
}
