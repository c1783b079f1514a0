import { CorruptFrameError } from '../../errors.ts'

// What the encoder and the decoder of LZO1X share. There is no specification of the
// stream. It is described in the Linux kernel's Documentation/staging/lzo.rst, version
// 0 there, and all of it is after that text. A stream is instructions, each a match
// (M1 to M4) or a run of literals. Up to three literals may follow a match: their
// number is in the two lowest bits of the match's last byte but one.

// An instruction's kind is told by its first byte. Below M4 it is a run or an M1.
export const M4_MARKER = 16
export const M3_MARKER = 32
export const M2_MARKER = 64

/** The farthest match of each kind, in bytes. M4 begins where M3 ends, and M1 of 3 bytes where M2 ends. */
export const M2_MAX_OFFSET = 0x800
export const M3_MAX_OFFSET = 0x4000
export const M4_MAX_OFFSET = 0xbfff

/** The largest length that an instruction's first byte holds. What is longer goes on in bytes of its own. */
export const RUN_MAX_LENGTH = 15
export const M3_MAX_LENGTH = 31
export const M4_MAX_LENGTH = 7

/** What a length in an instruction is short of the true one. */
export const RUN_BASE = 3
export const MATCH_BASE = 2

/** A first byte above this is a run of literals, this much longer than the run is. */
export const FIRST_RUN = 17

/** An M4 with {@link M3_MAX_OFFSET}, which otherwise is an M3's. */
export const END_MARKER = Uint8Array.of(0x11, 0x00, 0x00)

export function corrupt (reason: string): CorruptFrameError {
  return new CorruptFrameError('lzo', reason)
}
