import { wordAt } from './bytes'
import { all, contentStart, FAR_LOG, farTable, newBits } from './memory'
import { PRIME_1 } from './xxh64'

/** The bytes that are looked for at once: those of four are in too many places to be the right ones. */
const LENGTH: i32 = 6
/** Every fourth place is enough: copies are continued to the front too. */
const STEP: i32 = 4

/** Begin to look for what is new in all of the dictionary. */
export function forgetFarPlaces (): void {
  memory.fill(newBits, 0, 1 << (FAR_LOG - 3))
}

/** Say that something new is to be found, before the dictionary is indexed. */
export function markNew (start: i32, end: i32): void {
  for (let at = start; at + LENGTH <= end; at++) {
    const slot = slotAt(at)
    // only these places of the table are used: it is too large to clear all of it each time
    store<i32>(farTable + 4 * slot, 0)
    store<u8>(bitsOf(slot), load<u8>(bitsOf(slot)) | bitOf(slot))
  }
}

/** Remember the places in the dictionary that may have what is new: of several with the same hash the last one. */
export function indexFarPlaces (): void {
  for (let at = 0; at + LENGTH <= contentStart; at += STEP) {
    const slot = slotAt(at)

    // these bits stay in the processor's nearest cache, which the table does not
    if ((load<u8>(bitsOf(slot)) & bitOf(slot)) !== 0) {
      store<i32>(farTable + 4 * slot, at + 1)
    }
  }
}

/**
 * A place in the dictionary that has at least the first four of the bytes at `position`.
 *
 * @param end - where the content ends at the latest
 * @returns -1 if none is known
 */
export function findFar (position: i32, end: i32): i32 {
  if (position + LENGTH > end) {
    return -1
  }

  const from = load<i32>(farTable + 4 * slotAt(position)) - 1

  return from >= 0 && wordAt(from) === wordAt(position) ? from : -1
}

function slotAt (at: i32): u32 {
  // the shift drops the two bytes after the six
  return u32(((load<u64>(all + at) << 16) * PRIME_1) >>> (64 - FAR_LOG))
}

function bitsOf (slot: u32): usize {
  return newBits + (slot >>> 3)
}

function bitOf (slot: u32): u8 {
  return <u8>1 << u8(slot & 7)
}
