import { GEAR, GEAR_WINDOW, mix } from '../cut/gear.ts'

/** Bytes of an anchor. */
export const ANCHOR_LENGTH = GEAR_WINDOW

/** Called with an anchor's hash, its gear hash, and where its bytes begin. */
export type OnAnchor = (key: number, gear: number, start: number) => void

/**
 * Find the anchors of some bytes: spans of 32 bytes that their own content selects. The same
 * content has the same anchors wherever it lies.
 *
 * In a run of one byte each position has the same gear hash. Only the first is an anchor.
 *
 * @param mask - the bits of the gear hash that are zero in an anchor
 */
export function findAnchors (bytes: Uint8Array, mask: number, onAnchor: OnAnchor): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = bytes.byteLength
  const fill = Math.min(ANCHOR_LENGTH - 1, length)
  let gear = 0

  for (let i = 0; i < fill; i++) {
    gear = (gear << 1) + GEAR[bytes[i]] | 0
  }

  for (let i = fill; i < length; i++) {
    const before = gear
    gear = (gear << 1) + GEAR[bytes[i]] | 0

    if ((gear & mask) === 0 && gear !== before) {
      const start = i + 1 - ANCHOR_LENGTH
      onAnchor(hashAnchor(view, start), gear, start)
    }
  }
}

/** A second hash of the same bytes: the bits of the gear hash that select an anchor tell nothing about it. */
function hashAnchor (view: DataView, start: number): number {
  let hash = 0

  for (let i = start; i < start + ANCHOR_LENGTH; i += 4) {
    hash = Math.imul(hash ^ view.getInt32(i, true), 0x9e3779b1)
    hash = hash << 13 | hash >>> 19
  }

  return mix(hash) >>> 0
}
