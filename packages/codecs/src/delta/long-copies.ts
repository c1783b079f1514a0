import { commonLength, commonLengthBefore } from './common-length.ts'
import type { Windows } from './windows.ts'
import type { Copy } from '../format/zstd/zstd-encode.ts'

/** The shortest copy that is searched for here: many shorter ones are not where the content comes from. */
const MIN_LENGTH = 64
/** The shortest one that is where it is expected. */
const MIN_EXPECTED = 16

/**
 * Find the long pieces that the content has in common with the dictionary. Where one ends, it is most likely that the
 * next is after it there too, and otherwise it is searched for byte by byte.
 *
 * @param all - the dictionary, and after it the content
 * @param maxRest - the most bytes that may be in none of them
 * @returns undefined if there are more
 */
export function findLongCopies (
  all: DataView,
  contentStart: number,
  windows: Windows,
  maxRest: number
): Copy[] | undefined {
  const size = all.byteLength
  const copies: Copy[] = []
  let rest = 0
  // where the last copy ended, and how far it was away
  let end = contentStart
  let offset = contentStart

  for (let position = contentStart; position < size;) {
    let from = position - offset

    if (!isExpected(all, from, position, contentStart)) {
      from = windows.find(position, size, MIN_LENGTH, from)
    }

    if (from < 0) {
      position++

      if (rest + position - end > maxRest) {
        return undefined
      }

      continue
    }

    const before = commonLengthBefore(all, from, position, end)
    const after = commonLength(all, from, position, Math.min(size, position + contentStart - from))
    const start = position - before
    offset = position - from
    rest += start - end
    copies.push({ start: start - contentStart, length: before + after, offset })
    position += after
    end = position
  }

  return copies
}

function isExpected (all: DataView, from: number, position: number, contentStart: number): boolean {
  return from >= 0 && from + MIN_EXPECTED <= contentStart && position + MIN_EXPECTED <= all.byteLength &&
    all.getInt32(from, true) === all.getInt32(position, true) &&
    commonLength(all, from, position, position + MIN_EXPECTED) === MIN_EXPECTED
}
