import { wordAt } from './bytes'
import { contentStart, NEAR_LOG, nearTable, size } from './memory'

/** The bytes that are looked for at once. */
const LENGTH: i32 = 4

/** The span that was added last, in the dictionary and in the content. */
let oldFrom: i32 = 0
let oldTo: i32 = 0
let newFrom: i32 = 0
let newTo: i32 = 0

/** Begin to remember places of the dictionary and of the content, by the four bytes there. */
export function forgetNearPlaces (): void {
  memory.fill(nearTable, 0, 4 << NEAR_LOG)
  oldFrom = 0
  oldTo = 0
  newFrom = contentStart
  newTo = contentStart
}

/**
 * A place with the same four bytes, which the next search finds at `position`.
 *
 * @returns -1 if none of those that were added has them
 */
export function findNear (position: i32): i32 {
  const bytes = wordAt(position)
  const slot = slotOf(bytes)
  const from = load<i32>(slot) - 1
  store<i32>(slot, position + 1)
  newTo = max(newTo, position + 1)

  return from >= 0 && wordAt(from) === bytes ? from : -1
}

/** Add places of the dictionary, but not again what the last span had. Those beyond its ends are left out. */
export function addOld (start: i32, end: i32): void {
  const from = max(start, 0)
  const to = min(end, contentStart - LENGTH + 1)
  const goesOn = from >= oldFrom && from <= oldTo
  add(goesOn ? oldTo : from, to)
  oldFrom = goesOn ? oldFrom : from
  oldTo = goesOn ? max(oldTo, to) : to
}

/** Add places of the content in the same way. */
export function addNew (start: i32, end: i32): void {
  const from = max(start, contentStart)
  const to = min(end, size - LENGTH + 1)
  const goesOn = from >= newFrom && from <= newTo
  add(goesOn ? newTo : from, to)
  newFrom = goesOn ? newFrom : from
  newTo = goesOn ? max(newTo, to) : to
}

function add (from: i32, to: i32): void {
  for (let at = from; at < to; at++) {
    store<i32>(slotOf(wordAt(at)), at + 1)
  }
}

function slotOf (bytes: i32): usize {
  return nearTable + 4 * (u32(bytes * 0x9e3779b1) >>> (32 - NEAR_LOG))
}
