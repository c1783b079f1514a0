/**
 * Other bytes in a stream of frames, in what decoders of the codec skip. Loads no codec.
 *
 * @packageDocumentation
 */
import { encodeEmptyMember } from './format/gzip/empty-member.ts'
import { encodeEmptyLzop } from './format/lzo/lzop-header-encode.ts'
import { encodeSkippableChunk } from './format/snappy/skippable-chunk.ts'

const BY_CODEC = { gzip: encodeEmptyMember, lzo: encodeEmptyLzop, snappy: encodeSkippableChunk }

/** The codecs of which there is such a part. For zstd and lz4, it is a skippable frame (RFC 8878, section 3.1.2). */
export type SkippingCodec = keyof typeof BY_CODEC

/**
 * A part of a stream that decodes to nothing and holds bytes as they are. It may follow any frame, but is none: the
 * stream does not begin with it.
 *
 * @param bytes - at most 65,531, the most for gzip
 */
export function encodeSkipped (codec: SkippingCodec, bytes: Uint8Array): Uint8Array {
  return BY_CODEC[codec](bytes)
}
