/**
 * Strings that several files share, and the segments of files that hold most of them. What a string is, and why these
 * sizes: packages/core/src/dictionary.
 *
 * In memory, one after the other: where each file begins, the strings of each, a table of all strings, what each is
 * worth, where each is, which it is, and the bytes of one file.
 */
import { PRIME_1, PRIME_2 } from './xxh64'

/** Where the memory begins. */
const START: usize = (__heap_base + 15) & ~15

const STRING_LENGTH: i32 = 11
/** How many places are looked at together, and what is read beyond the first byte of the last of them. */
const LANES: i32 = 16
/** The bytes of a file are followed by so many that are read, and not used. */
const PADDING: i32 = 2 * LANES
/** Odd numbers by which the first bytes of a string, and the next ones, are multiplied: they choose what is counted. */
const FIRST_FACTOR: i32 = <i32>0x9e3779b1
const NEXT_FACTOR: i32 = <i32>0x85ebca77

/** One more file, in a slot and in a weight. Below it: the last file, and how often a string is in a segment. */
const FILE: u32 = 0x10000
const LAST: u32 = FILE - 1
/** Marks a slot that holds the number of its string. */
const NUMBERED: u32 = 0xffffffff

let fileCount: i32 = 0
let slotBits: i32 = 0
let capacity: i32 = 0
/** How many strings are in `places`. */
let count: i32 = 0

/** Where each file begins, and where the last one ends: for each a number of 4 bytes, as in all arrays here. */
export let starts: usize = 0
/** For each file the first of its strings, and one more than the last of all. */
export let firsts: usize = 0
/** How many strings each file has, with those that are in no other one. */
export let counts: usize = 0
let table: usize = 0
let weights: usize = 0
/** Where each string begins, and its number. */
export let places: usize = 0
export let numbers: usize = 0
/** Those of the file that is added next. */
export let bytes: usize = 0
/**
 * For each string the next one that may be worth something. In the memory of the bytes, which nobody reads once all
 * strings are known.
 */
let nexts: usize = 0

/** How many strings are different. */
export let distinct: i32 = 0

/** The segment that was found last: its first string, one more than the last, and what it is worth. */
export let bestFirst: i32 = 0
export let bestLast: i32 = 0
export let bestScore: u32 = 0

/**
 * Make room for files.
 *
 * @param longest - bytes of the longest file
 * @param bits - of a slot's number in the table of strings
 * @param most - how many strings are counted at most
 * @returns whether there is so much memory
 */
export function reserve (files: i32, longest: i32, bits: i32, most: i32): bool {
  fileCount = files
  slotBits = bits
  capacity = most
  starts = START
  firsts = starts + 4 * (files + 1)
  counts = firsts + 4 * (files + 1)
  table = (counts + 4 * files + 15) & ~15
  weights = table + (8 << bits)
  places = weights + (4 << bits)
  numbers = places + 4 * most
  bytes = numbers + 4 * most
  nexts = bytes
  const pages = i32((bytes + max(longest + PADDING, 4 * most) + 0xffff) >>> 16) - memory.size()

  if (pages > 0 && memory.grow(pages) < 0) {
    return false
  }

  memory.fill(table, 0, 8 << slotBits)
  count = 0

  return true
}

/**
 * Add the strings of the next file, whose bytes are in their place, each once. A call for each file: V8 optimizes a
 * function for its next call, and not while it runs. One call for 16 MiB took twice as long.
 *
 * @param mask - of the bits that are zero in the hash of a string that is counted
 */
export function addFile (file: i32, mask: i32): void {
  const from = count
  const end = hashStrings(file, mask, from)

  for (let at = from; at < end; at++) {
    const hash = load<u32>(numbers + 4 * at)
    const slot = table + (usize(hash >>> (32 - slotBits)) << 3)

    if (load<u32>(slot) === 0) {
      store<u32>(slot, hash)
    }

    // one whose slot another string has is dropped, and one that the file has already
    if (load<u32>(slot) === hash) {
      const state = load<u32>(slot, 4)

      if ((state & LAST) !== file + 1) {
        store<u32>(slot, state === 0 ? file + 1 : ((state & ~LAST) + FILE) | (file + 1), 4)
        store<u32>(places + 4 * count, load<u32>(places + 4 * at))
        store<u32>(numbers + 4 * count, u32(slot))
        count++
      }
    }
  }

  store<i32>(counts + 4 * file, count - from)
  store<i32>(firsts + 4 * (file + 1), count)
}

/**
 * Drop the strings that are in one file only, and number the others in the order in which they first occur.
 *
 * @returns how many are left, each once for each file that has it
 */
export function numberStrings (): i32 {
  let kept = 0
  distinct = 0
  store<i32>(firsts, 0)

  for (let file = 0, at = 0; file < fileCount; file++) {
    const end = load<i32>(firsts + 4 * (file + 1))
    store<i32>(firsts + 4 * file, kept)

    for (; at < end; at++) {
      const slot = usize(load<u32>(numbers + 4 * at))
      const state = load<u32>(slot, 4)

      if (state !== NUMBERED && state >= FILE) {
        store<i32>(slot, distinct++)
        store<u32>(slot, NUMBERED, 4)
      }

      if (load<u32>(slot, 4) === NUMBERED) {
        store<u32>(places + 4 * kept, load<u32>(places + 4 * at))
        store<u32>(numbers + 4 * kept, load<u32>(slot))
        kept++
      }
    }
  }

  store<i32>(firsts + 4 * fileCount, kept)

  return kept
}

/**
 * Add the places and hashes of the strings of a file that are counted: of how many, the first eight bytes say.
 *
 * @returns how many there are then
 */
function hashStrings (file: i32, mask: i32, from: i32): i32 {
  const start = load<i32>(starts + 4 * file)
  const count = load<i32>(starts + 4 * (file + 1)) - start - STRING_LENGTH + 1
  const masks = i32x4.splat(mask)
  let next = from

  for (let at = 0; at < count; at += LANES) {
    let chosen = chosenOf(at, masks) | (chosenOf(at + 4, masks) << 4) | (chosenOf(at + 8, masks) << 8) |
      (chosenOf(at + 12, masks) << 12)

    for (; chosen !== 0; chosen &= chosen - 1) {
      const place = at + ctz(chosen)

      if (place >= count || next >= capacity - 1) {
        break
      }

      store<i32>(places + 4 * next, start + place)
      store<u32>(numbers + 4 * next, hashAt(place))
      next++
    }
  }

  return next
}

/** Which of four places have a string that is counted: a bit for each. */
function chosenOf (at: i32, masks: v128): i32 {
  const read = v128.load(bytes + at)
  const first = i8x16.shuffle(read, read, 0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6)
  const next = i8x16.shuffle(read, read, 4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10)
  const hashes = i32x4.add(i32x4.mul(first, i32x4.splat(FIRST_FACTOR)), i32x4.mul(next, i32x4.splat(NEXT_FACTOR)))

  return i32x4.bitmask(i32x4.eq(v128.and(hashes, masks), i32x4.splat(0)))
}

/** A hash of a string. The bits at the top choose the slot. */
function hashAt (at: i32): u32 {
  const hash = (load<u64>(bytes + at) * PRIME_1) ^ (load<u64>(bytes + at, STRING_LENGTH - 8) * PRIME_2)

  return u32(hash >>> 32)
}

/** Begin to choose segments of some files: a string is worth as many of them as have it, but for one. */
export function weigh (from: i32, to: i32): void {
  memory.fill(weights, 0, 4 * distinct)
  const end = load<i32>(firsts + 4 * to)

  for (let at = load<i32>(firsts + 4 * from); at < end; at++) {
    const weight = weightOf(at)
    store<u32>(weight, load<u32>(weight) + FILE)
    store<i32>(nexts + 4 * at, at + 1)
  }

  for (let i = 0; i < distinct; i++) {
    const weight = weights + 4 * i
    store<u32>(weight, load<u32>(weight) === 0 ? 0 : load<u32>(weight) - FILE)
  }
}

/**
 * Find the best segment between two strings. A string counts once in it. What is worth nothing is passed once, and then
 * skipped: that is most of it, where files are versions of each other.
 *
 * @param span - how many bytes may be between the beginnings of its first and last string
 * @returns whether any is worth something
 */
export function findBest (first: i32, last: i32, span: i32): bool {
  let score: u32 = 0
  let oldest = last
  let before = first
  let at = first
  bestScore = 0

  for (; at < last; at = nextOf(at)) {
    const weight = weightOf(at)
    const state = load<u32>(weight)

    if (state === 0) {
      continue
    }

    if (at > before) {
      store<i32>(nexts + 4 * before, at)
      before = at
    }

    oldest = min(oldest, at)

    for (const place = placeOf(at); place - placeOf(oldest) > span; oldest = nextOf(oldest)) {
      const weight = weightOf(oldest)
      const left = load<u32>(weight) - 1
      store<u32>(weight, left)
      score -= (left & LAST) === 0 ? left >>> 16 : 0
    }

    // the loop may have changed it
    const now = load<u32>(weight)
    store<u32>(weight, now + 1)
    score += (now & LAST) === 0 ? now >>> 16 : 0

    if (score > bestScore) {
      bestScore = score
      bestFirst = oldest
      bestLast = at + 1
    }
  }

  store<i32>(nexts + 4 * before, max(at, before + 1))

  for (; oldest < last; oldest = nextOf(oldest)) {
    const weight = weightOf(oldest)
    store<u32>(weight, load<u32>(weight) - 1)
  }

  return bestScore > 0
}

/** Count the strings of a segment no more. */
export function cover (first: i32, last: i32): void {
  for (let at = first; at < last; at++) {
    store<u32>(weightOf(at), 0)
  }
}

function placeOf (at: i32): i32 {
  return load<i32>(places + 4 * at)
}

function nextOf (at: i32): i32 {
  return load<i32>(nexts + 4 * at)
}

function weightOf (at: i32): usize {
  return weights + 4 * usize(load<u32>(numbers + 4 * at))
}
