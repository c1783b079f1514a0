import { commonLength, commonLengthBefore, wordAt } from './bytes'
import { lengthOf, offsetOf, setCopy, startOf } from './copies'
import { findFar, forgetFarPlaces, indexFarPlaces, markNew } from './far-places'
import { contentStart, copies, longCopies, size } from './memory'
import { addNew, addOld, findNear, forgetNearPlaces } from './near-places'
import { findWindow, WINDOW } from './windows'

/** How much of what is around a change is searched for parts of it. Four times as much finds no more. */
const AROUND: i32 = 256
/** The shortest copy. One that is as far away as one before takes less. */
const MIN_LENGTH: i32 = 5
export const MIN_REPEATED: i32 = 4
/** How many of the last copies may be repeated, and what that takes, in bits. */
const REPEATED: i32 = 3
const REPEATED_BITS: i32 = 1

/** What a byte that need not be stored is worth, in bits. */
const BYTE_BITS: i32 = 4
/** Where one of so many bytes is near, the whole dictionary need not be searched. */
const FAR_BELOW: i32 = 16
/** Longer copies are taken at once. */
const LONG: i32 = 32
/**
 * With more new bytes, all of the dictionary is searched for parts of them: new rows of a table have most words in
 * common with others, wherever those are. That takes a millisecond, and makes a sixth fewer bytes of them.
 */
const MIN_NEW: i32 = 2048
/** How much better a copy has to be that begins one byte later. */
const LATER_BITS: i32 = 4

let count: i32 = 0
let isFarKnown: bool = false

/** The best copy at the place that was searched last: its length, zero if there is none, and the bits that it saves. */
let bestLength: i32 = 0
let bestOffset: i32 = 0
let bestGain: i32 = 0

/**
 * Find shorter copies between the long ones: in what was there before, in what is around it, and in what changed
 * already. If that is much, also in all of the dictionary.
 *
 * @returns how many copies there are in all
 */
export function addShortCopies (longCount: i32): i32 {
  count = 0
  isFarKnown = newBytes(longCount) > MIN_NEW

  if (isFarKnown) {
    indexFar(longCount)
  }

  forgetNearPlaces()
  let end = contentStart
  let offset = contentStart

  for (let i = 0; i < longCount; i++) {
    const start = startOf(longCopies, i)

    if (start > end) {
      addAround(end - offset)
      addAround(start - offsetOf(longCopies, i))
      fill(end, start)
    }

    offset = offsetOf(longCopies, i)
    end = start + lengthOf(longCopies, i)
    setCopy(copies, count++, start, end - start, offset)
  }

  if (size > end) {
    addAround(end - offset)
    fill(end, size)
  }

  return count
}

/** How many bytes are in no long copy. */
function newBytes (longCount: i32): i32 {
  let sum = size - contentStart

  for (let i = 0; i < longCount; i++) {
    sum -= lengthOf(longCopies, i)
  }

  return sum
}

function indexFar (longCount: i32): void {
  forgetFarPlaces()
  let end = contentStart

  for (let i = 0; i < longCount; i++) {
    const start = startOf(longCopies, i)
    markNew(end, start)
    end = start + lengthOf(longCopies, i)
  }

  markNew(end, size)
  indexFarPlaces()
}

/** Search around a place in the dictionary: what is before a gap ends there, or what is after it begins. */
function addAround (place: i32): void {
  addOld(place - AROUND, place + AROUND)
}

/** Find copies in a gap between long ones. */
function fill (start: i32, end: i32): void {
  // last, because what is nearer takes fewer bits
  addNew(start - AROUND, start)
  let last = start

  for (let position = start; position + MIN_REPEATED <= end;) {
    if (!findBest(position, end)) {
      position++
      continue
    }

    let at = position
    let length = bestLength
    let offset = bestOffset

    // one that begins later may be better
    for (let gain = bestGain; length < LONG && at + 1 + MIN_REPEATED <= end; gain = bestGain) {
      if (!findBest(at + 1, end) || bestGain <= gain + LATER_BITS) {
        break
      }

      at++
      length = bestLength
      offset = bestOffset
    }

    const before = lengthBefore(at, offset, last)
    setCopy(copies, count++, at - before, before + length, offset)
    addNew(at, at + length)
    last = at + length
    position = last
  }
}

/** How many bytes before a copy are also before what it copies. */
function lengthBefore (at: i32, offset: i32, start: i32): i32 {
  const from = at - offset
  const first = from < contentStart ? 0 : contentStart

  return commonLengthBefore(from, at, max(start, first + offset))
}

/** Find the best copy that begins at a place. */
function findBest (position: i32, end: i32): bool {
  bestLength = 0
  const near = findNear(position)

  if (near >= 0) {
    compare(position, position - near, end, MIN_LENGTH, bitsOf(position - near))
  }

  if (bestLength < FAR_BELOW) {
    const far = isFarKnown ? findFar(position, end) : findWindow(position, end, WINDOW, position)

    if (far >= 0) {
      compare(position, position - far, end, MIN_LENGTH, bitsOf(position - far))
    }
  }

  const bytes = wordAt(position)

  for (let i = count - 1; i >= max(0, count - REPEATED); i--) {
    const offset = offsetOf(copies, i)

    if (offset <= position && wordAt(position - offset) === bytes) {
      compare(position, offset, end, MIN_REPEATED, REPEATED_BITS)
    }
  }

  return bestLength > 0
}

/** About the bits that an offset takes. */
function bitsOf (offset: i32): i32 {
  return 31 - clz(offset)
}

/** Take the copy from `offset` bytes before if it is long enough and better than the best one so far. */
function compare (position: i32, offset: i32, end: i32, minLength: i32, offsetBits: i32): void {
  const from = position - offset
  // what is in the dictionary does not go on in the content
  const stop = from < contentStart ? min(end, offset + contentStart) : end
  const length = commonLength(from, position, stop)
  const gain = BYTE_BITS * length - offsetBits

  if (length >= minLength && (bestLength === 0 || gain > bestGain)) {
    bestLength = length
    bestOffset = offset
    bestGain = gain
  }
}
