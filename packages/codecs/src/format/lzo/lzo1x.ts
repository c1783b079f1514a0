import { CorruptFrameError } from '../../errors.ts'

// Shared by the encoder and the decoder of LZO1X. The format has no specification. This
// follows the description of version 0 in the Linux kernel's Documentation/staging/lzo.rst.
// A stream consists of instructions: matches (M1 to M4) and runs of literals. Up to three
// literals may follow a match. Their number is in the two lowest bits of the match's second
// last byte.

// The first byte of an instruction determines its kind. Below M4 it is a run or an M1.
export const M4_MARKER = 16
export const M3_MARKER = 32
export const M2_MARKER = 64

/** The largest offset of each kind, in bytes. M4 starts after the largest M3, M1 of 3 bytes after the largest M2. */
export const M2_MAX_OFFSET = 0x800
export const M3_MAX_OFFSET = 0x4000
export const M4_MAX_OFFSET = 0xbfff

/** The largest length that fits in the first byte of an instruction. Longer ones continue in the following bytes. */
export const RUN_MAX_LENGTH = 15
export const M3_MAX_LENGTH = 31
export const M4_MAX_LENGTH = 7

/** Added to the length in an instruction to get the true length. */
export const RUN_BASE = 3
export const MATCH_BASE = 2

/** If the first byte of a stream is above this, it is a run of literals, whose length is the byte minus this. */
export const FIRST_RUN = 17

/** An M4 with the offset {@link M3_MAX_OFFSET}, which would otherwise be an M3. */
export const END_MARKER = Uint8Array.of(0x11, 0x00, 0x00)

export function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('lzo', reason)
}
