import { afterWindow, DESCRIPTOR } from './zstd-descriptor.ts'

/**
 * The reserved bit of the descriptor, and both bits of the dictionary flag: 4 bytes. libzstd refuses either, but some
 * decoders ignore the reserved bit, and others the dictionary.
 */
const REFUSED = 0b0000_1011

/** No dictionary uses it: identifiers from 2^31 on are reserved (RFC 8878, section 3.1.1.1.3). */
const DICTIONARY_ID = Uint8Array.of(0x69, 0x70, 0x66, 0xfa)

/** A frame whose header has the reserved bit, and an unknown dictionary. */
export function seal (frame: Uint8Array): Uint8Array {
  const position = afterWindow(frame)
  const sealed = new Uint8Array(frame.byteLength + DICTIONARY_ID.byteLength)

  sealed.set(frame.subarray(0, position))
  sealed.set(DICTIONARY_ID, position)
  sealed.set(frame.subarray(position), position + DICTIONARY_ID.byteLength)
  sealed[DESCRIPTOR] |= REFUSED

  return sealed
}

/**
 * Takes the dictionary out of the header: what is before it moves up.
 *
 * @returns undefined if it is not sealed
 */
export function unseal (frame: Uint8Array): Uint8Array | undefined {
  const position = afterWindow(frame)
  const isSealed = (frame[DESCRIPTOR] & REFUSED) === REFUSED &&
    DICTIONARY_ID.every((byte, i) => frame[position + i] === byte)

  if (!isSealed) {
    return undefined
  }

  frame[DESCRIPTOR] ^= REFUSED
  frame.copyWithin(DICTIONARY_ID.byteLength, 0, position)

  return frame.subarray(DICTIONARY_ID.byteLength)
}
