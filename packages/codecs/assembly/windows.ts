import { commonLength, wordAt } from './bytes'
import { all, contentStart, lastWindows, windowsBefore } from './memory'
import { PRIME_1, PRIME_2, PRIME_3 } from './xxh64'

/** The bytes that are looked for at once. */
export const WINDOW: i32 = 32
/** Where the windows of the dictionary begin: every so many bytes, and in a large one half as often, for speed. */
const STEP: i32 = 16
const LARGE_STEP: i32 = 32
const LARGE: i32 = 512 * 1024
/** The most equal windows that are compared. */
const MAX_EQUAL: i32 = 4
/** An entry has the number of a window, plus one, and above that bits of its hash: most others are told by those. */
const NUMBER_BITS: i32 = 22
const NUMBER_MASK: u32 = (1 << NUMBER_BITS) - 1

let step: i32 = STEP
let shift: u64 = 0

/** How many hashes the windows of a dictionary have. */
export function windowSlots (dictionarySize: i32): i32 {
  return 1 << (32 - clz(windowsIn(dictionarySize) | 1))
}

function windowsIn (dictionarySize: i32): i32 {
  step = dictionarySize > LARGE ? LARGE_STEP : STEP

  return max(0, (dictionarySize - WINDOW) / step + 1)
}

/** Remember the windows of the dictionary by their hash: its parts are found wherever they are in the content. */
export function indexWindows (): void {
  const slots = windowSlots(contentStart)
  const count = windowsIn(contentStart)
  shift = 64 - ctz(slots)
  memory.fill(lastWindows, 0, 4 * slots)

  for (let window = 0; window < count; window++) {
    const hash = hashAt(window * step)
    const last = lastWindows + 4 * usize(hash >>> shift)
    store<u32>(windowsBefore + 4 * window, load<u32>(last))
    store<u32>(last, tagOf(hash) | (window + 1))
  }
}

/**
 * Where in the dictionary the content from a place on is found: of several such places the one where most follows, or
 * else the nearest to where it is expected.
 *
 * @param end - where the content ends at the latest
 * @param minLength - the fewest bytes that have to be the same, at least 32
 * @returns -1 if they are nowhere
 */
export function findWindow (position: i32, end: i32, minLength: i32, expected: i32): i32 {
  let best = -1

  if (position + minLength > end) {
    return best
  }

  const bytes = wordAt(position)
  const hash = hashAt(position)
  const tag = tagOf(hash)
  let longest = minLength
  let entry = load<u32>(lastWindows + 4 * usize(hash >>> shift))

  for (let i = 0; i < MAX_EQUAL && entry !== 0; i++) {
    const window = i32(entry & NUMBER_MASK) - 1
    const isLike = (entry & ~NUMBER_MASK) === tag
    const from = window * step
    entry = load<u32>(windowsBefore + 4 * window)

    // most of those that begin like it end before the longest one so far
    if (!isLike || wordAt(from) !== bytes || from + longest > contentStart || !isSame(from, position, longest)) {
      continue
    }

    const length = commonLength(from, position, min(end, position + contentStart - from))
    const isNearer = best < 0 || abs(from - expected) < abs(best - expected)

    if (length > longest || (length === longest && isNearer)) {
      best = from
      longest = length
    }
  }

  return best
}

/** The bits of a hash beside the number of a window: not those that chose its place in the table. */
function tagOf (hash: u64): u32 {
  return u32(hash) & ~NUMBER_MASK
}

/** Whether the last eight of so many bytes are the same. */
function isSame (first: i32, second: i32, length: i32): bool {
  return load<u64>(all + first + length - 8) === load<u64>(all + second + length - 8)
}

/** A hash of most bytes: all of them are compared anyway. */
function hashAt (at: i32): u64 {
  return (load<u64>(all + at) * PRIME_1) ^ (load<u64>(all + at, 12) * PRIME_2) ^ (load<u64>(all + at, 24) * PRIME_3)
}
