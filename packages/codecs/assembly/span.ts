import { wordAt } from './bytes'
import { lengthOf, offsetOf, startOf } from './copies'
import { contentStart, copies } from './memory'

/** zstd ignores shorter dictionaries. */
const MIN_DICTIONARY: i32 = 8
/** What begins so is read as a trained dictionary (RFC 8878, section 5). */
const FORMATTED: i32 = 0xec30a437

/** The part of the dictionary that copies refer to. It is a dictionary itself. */
export let spanStart: i32 = 0
export let spanEnd: i32 = 0

/** @returns false if they refer to nothing in it, or there is no such part */
export function findSpan (count: i32): bool {
  spanStart = contentStart
  spanEnd = 0

  for (let i = 0; i < count; i++) {
    const from = startOf(copies, i) - offsetOf(copies, i)

    if (from < contentStart) {
      spanStart = min(spanStart, from)
      spanEnd = max(spanEnd, from + lengthOf(copies, i))
    }
  }

  if (spanStart >= spanEnd || contentStart < MIN_DICTIONARY) {
    return false
  }

  spanStart = max(0, min(spanStart, spanEnd - MIN_DICTIONARY))
  spanEnd = max(spanEnd, spanStart + MIN_DICTIONARY)

  // what begins one byte earlier does not begin so
  if (wordAt(spanStart) === FORMATTED) {
    spanStart--
  }

  return spanStart >= 0
}
