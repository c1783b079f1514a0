/**
 * Frames that no decoder of their codec takes, because what they decode to is not the original. Loads no codec.
 *
 * @packageDocumentation
 */
import { freeResult, markResult } from '@ipfsz/utils/free-bytes'
import { CorruptFrameError } from './errors.ts'
import { seal as sealBrotli, unseal as unsealBrotli } from './format/brotli/brotli-seal.ts'
import { seal as sealZstd, unseal as unsealZstd } from './format/zstd/zstd-seal.ts'
import type { CodecName } from './codec.ts'

/** A value in the header of a frame that decoders refuse, and that replaces the codec's own value. */
interface SealedBits {
  /** The position of the byte. */
  at: number
  /** Its bits that hold the value. */
  mask: number
  /** The value in a sealed frame. */
  sealed: number
  /** What turns one value into the other. */
  flip: number
}

/** docs/codecs.md lists the decoders that were tested, and why the obvious reserved bits are not enough. */
const BITS: Partial<Record<CodecName, SealedBits>> = {
  // a reserved compression method instead of deflate: many decoders ignore the reserved flags
  gzip: { at: 2, mask: 0xff, sealed: 7, flip: 0x0f },
  // version 2 of the frame format instead of 1; the checksum of the header is that of version 1
  lz4: { at: 4, mask: 0xc0, sealed: 0x80, flip: 0xc0 },
  // the version of lzop that is needed to extract it: higher than all existing ones
  lzo: { at: 13, mask: 0xf0, sealed: 0xf0, flip: 0xf0 },
  // the first chunk of data is of a reserved type that may not be skipped
  snappy: { at: 10, mask: 0xfe, sealed: 0x40, flip: 0x40 }
}

/**
 * Seal a frame.
 *
 * @param frame - not empty, as its codec makes it. Its memory may change
 * @returns the sealed frame, in the same memory if the codec allows it
 */
export function seal (codec: CodecName, frame: Uint8Array): Uint8Array {
  const bits = BITS[codec]

  if (bits == null) {
    const sealed = codec === 'zstd' ? sealZstd(frame) : sealBrotli(frame)
    markResult(sealed)
    freeResult(frame)

    return sealed
  }

  frame[bits.at] ^= bits.flip

  return frame
}

/**
 * The frame that was sealed.
 *
 * @param frame - its memory may change
 * @returns a frame in the same memory
 * @throws {CorruptFrameError} it is not sealed
 */
export function unseal (codec: CodecName, frame: Uint8Array): Uint8Array {
  const bits = BITS[codec]
  const unsealed = bits == null
    ? (codec === 'zstd' ? unsealZstd : unsealBrotli)(frame)
    : unsealBits(frame, bits)

  if (unsealed == null) {
    throw new CorruptFrameError(codec, 'it is not sealed, although it does not decode to the original bytes')
  }

  return unsealed
}

function unsealBits (frame: Uint8Array, { at, mask, sealed, flip }: SealedBits): Uint8Array | undefined {
  if ((frame[at] & mask) !== sealed) {
    return undefined
  }

  frame[at] ^= flip

  return frame
}
