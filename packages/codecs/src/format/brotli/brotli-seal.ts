// Room: what brotli streams we check, and the end that seals them.

/** The low seven bits are not a valid window (RFC 7932, section 9.1), and with the eighth not a large window either. */
const NO_WINDOW = 0b1001_0001

/** A frame behind a byte that decoders refuse: the fields of a stream have no fixed places in which to do that. */
export function seal (frame: Uint8Array): Uint8Array {
  const sealed = new Uint8Array(1 + frame.byteLength)

  sealed[0] = NO_WINDOW
  sealed.set(frame, 1)

  return sealed
}

/** @returns undefined if it is not sealed */
export function unseal (frame: Uint8Array): Uint8Array | undefined {
  return frame[0] === NO_WINDOW ? frame.subarray(1) : undefined
}
