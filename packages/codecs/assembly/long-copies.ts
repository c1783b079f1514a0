import { commonLength, commonLengthBefore, wordAt } from './bytes'
import { setCopy } from './copies'
import { contentStart, longCopies, size } from './memory'
import { findWindow } from './windows'

/** The shortest copy that is searched for here: many shorter ones are not where the content comes from. */
const MIN_LONG: i32 = 64
/** The shortest one that is where it is expected. */
export const MIN_EXPECTED: i32 = 16

/**
 * Find the long pieces that the content has in common with the dictionary. Where one ends, it is most likely that the
 * next is after it there too, and otherwise it is searched for byte by byte.
 *
 * @param maxRest - the most bytes that may be in none of them
 * @returns how many there are. -1: more bytes are in none
 */
export function findLongCopies (maxRest: i32): i32 {
  let count = 0
  let rest = 0
  // where the last copy ended, and how far it was away
  let end = contentStart
  let offset = contentStart

  for (let position = contentStart; position < size;) {
    let from = position - offset

    if (!isExpected(from, position)) {
      from = findWindow(position, size, MIN_LONG, from)
    }

    if (from < 0) {
      position++

      if (rest + position - end > maxRest) {
        return -1
      }

      continue
    }

    const before = commonLengthBefore(from, position, end)
    const after = commonLength(from, position, min(size, position + contentStart - from))
    const start = position - before
    offset = position - from
    rest += start - end
    setCopy(longCopies, count++, start, before + after, offset)
    position += after
    end = position
  }

  return count
}

function isExpected (from: i32, position: i32): bool {
  return from >= 0 && from + MIN_EXPECTED <= contentStart && position + MIN_EXPECTED <= size &&
    wordAt(from) === wordAt(position) && commonLength(from, position, position + MIN_EXPECTED) === MIN_EXPECTED
}
