/** What changed of some content since a dictionary. The dictionary and the content after it are in `memory`. */
import { commonLength } from './bytes'
import { lengthOf, offsetOf } from './copies'
import { encodeFrame } from './frame-encode'
import { findLongCopies, MIN_EXPECTED } from './long-copies'
import { all, contentStart, copies, layOut, longCopies, room, size } from './memory'
import { addShortCopies, MIN_REPEATED } from './short-copies'
import { findSpan, spanEnd, spanStart } from './span'
import { indexWindows, windowSlots } from './windows'
import { xxh64Low } from './xxh64'

let longCount: i32 = 0

/**
 * Make room.
 *
 * @returns where in the memory the dictionary goes, and the content right after it. 0: there is not so much memory
 */
export function reserve (dictionarySize: i32, contentSize: i32): usize {
  return layOut(dictionarySize, contentSize, windowSlots(dictionarySize), MIN_EXPECTED, MIN_REPEATED) ? all : 0
}

/**
 * Find what the content has in common with the dictionary.
 *
 * @param maxRest - the most bytes that may be in no long copy
 * @returns how many copies there are. -1: more bytes are in none
 */
export function findCopies (maxRest: i32): i32 {
  indexWindows()
  longCount = findLongCopies(maxRest)

  return longCount <= 0 ? longCount : addShortCopies(longCount)
}

/** Where in the dictionary the content would go on, if there is a long copy. */
export function next (): i32 {
  return size - offsetOf(longCopies, longCount - 1)
}

/** Where in the memory the copies are: for each its start, its length and its offset, in four bytes. */
export function copyList (): usize {
  return copies
}

/** Where in the dictionary all of the content is, if there is a copy. -1: it changed. */
export function sameAt (): i32 {
  return lengthOf(copies, 0) === size - contentStart ? contentStart - offsetOf(copies, 0) : -1
}

/** The lower 32 bits of the content's XXH64. */
export function checksum (): u32 {
  return xxh64Low(contentStart, size - contentStart)
}

/** Where in the memory is room for the dictionary and the content once more. A frame is there first. */
export function secondRoom (): usize {
  return room
}

/** Whether the content is there, after `before` bytes. */
export function isContentAt (before: i32): bool {
  const start = i32(room - all) + before
  const length = size - contentStart

  return commonLength(contentStart, start, start + length) === length
}

export { encodeFrame, findSpan, spanEnd, spanStart }
