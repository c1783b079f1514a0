/** The position of the frame header descriptor, after the magic number (RFC 8878, section 3.1.1.1.1). */
export const DESCRIPTOR = 4

/** Its flag of a frame that is its own window. */
export const SINGLE_SEGMENT = 0x20

/** The position after the window in the header of a frame. A single segment has none. */
export function afterWindow (frame: Uint8Array): number {
  return (frame[DESCRIPTOR] & SINGLE_SEGMENT) === 0 ? DESCRIPTOR + 2 : DESCRIPTOR + 1
}
