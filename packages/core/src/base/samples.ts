import { GEAR, GEAR_WINDOW, mix } from '../cut/gear.ts'

/** Bytes of a sample: those that the gear hash depends on. */
export const SAMPLE_LENGTH = GEAR_WINDOW

/** The gear hash of the sample that begins at `start`. */
export function gearOf (bytes: Uint8Array, start: number): number {
  let gear = 0

  for (let i = start; i < start + SAMPLE_LENGTH; i++) {
    gear = (gear << 1) + GEAR[bytes[i]] | 0
  }

  return gear
}

/** A second hash of the same bytes, four at a time: this one is quick, but does not roll. */
export function checkOf (view: DataView, start: number): number {
  let hash = 0

  for (let i = start; i < start + SAMPLE_LENGTH; i += 4) {
    hash = Math.imul(hash ^ view.getInt32(i, true), 0x9e3779b1)
    hash = hash << 13 | hash >>> 19
  }

  return mix(hash)
}

/** Whether all bytes of a sample are the same: such samples are everywhere in some files, and tell nothing. */
export function isRun (bytes: Uint8Array, start: number): boolean {
  for (let i = start + 1; i < start + SAMPLE_LENGTH; i++) {
    if (bytes[i] !== bytes[start]) {
      return false
    }
  }

  return true
}

export function viewOf ({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
