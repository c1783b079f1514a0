// Room: dictionaries that small files of a tree share: `tree-dictionaries.ts` holds files back, `train.ts` decides,
// `cover.ts` chooses segments.
import { freeMemory, lowerBound, STRING_LENGTH } from './shared-strings.ts'
import type { SharedStrings } from './shared-strings.ts'

const SEGMENT_LENGTH = 1024
/** In how many rounds the segments are chosen, each from all parts of the files. */
const ROUNDS = 2
/** A part of the files has at least this many times the bytes of a segment. */
const MIN_PART = 10
/** A segment of a lower score is not worth its own bytes: it shares fewer than 64 bytes with one other file. */
const MIN_SHARED = 64

/** At both ends of a segment, so many times as many bytes are added as a string stands for. */
const MARGIN = 4

/** One more file, in a weight. */
const WEIGHT = 2 ** 16

/** A span of the files. */
interface Segment {
  /** Its first string that is counted, and one more than the last. */
  first: number
  last: number
  /** In how many more files than one its strings are, all added up. */
  score: number
}

interface Bounds {
  start: number
  end: number
}

/** What some files have in common. */
export interface Selection {
  /** The best last: there zstd reaches them with the smallest offsets. */
  segments: readonly Segment[]
  /** Bytes of them. */
  size: number
}

/** Some of the files, in order. */
export interface FileRange {
  from: number
  to: number
}

/**
 * Choose the segments of some files that have most in common with the others: the COVER method (Liao, Petri, Moffat and
 * Wirth, "Effective Construction of Relative Lempel-Ziv Dictionaries", 2016), as zstd has it. The files are divided
 * into parts, and from each part the best segment is taken in turn. Strings that a segment covers count no more for the
 * later ones. What occurs in one file only is never chosen for itself.
 *
 * The same files yield the same segments. Time is linear in their bytes.
 *
 * @param size - maximum number of bytes to choose
 */
export function selectSegments (strings: SharedStrings, { from, to }: FileRange, size: number): Selection {
  const start = strings.startOf(from)
  const length = strings.startOf(to) - start
  const weights = new Weights(strings, { from, to })
  const chosen: Segment[] = []
  const wanted = Math.ceil(size / (SEGMENT_LENGTH * ROUNDS))
  const parts = Math.max(1, Math.min(wanted, Math.floor(length / (SEGMENT_LENGTH * MIN_PART))))
  const bounds = Array.from({ length: parts + 1 }, (_, part) =>
    lowerBound(strings.places, start + Math.floor(length * part / parts)))
  // what a part has to offer only becomes less
  let left = Array.from({ length: parts }, (_, part) => part)
  let room = size

  while (left.length > 0) {
    left = left.filter(part => {
      if (room < STRING_LENGTH) {
        return false
      }

      const best = weights.best(bounds[part], bounds[part + 1], Math.min(SEGMENT_LENGTH, room))

      if (best == null || best.score * strings.bytesEach < MIN_SHARED) {
        return false
      }

      chosen.push(best)
      weights.cover(best)
      room -= sizeOf(best, strings)
      return true
    })
  }

  weights.close()

  return { segments: chosen.toSorted((a, b) => a.score - b.score), size: size - room }
}

/** What is left of a selection with no more than so many bytes: the segments at the end are the best. */
export function shorten ({ segments }: Selection, strings: SharedStrings, size: number): Selection {
  let left = size
  let first = segments.length

  while (first > 0 && sizeOf(segments[first - 1], strings) <= left) {
    left -= sizeOf(segments[--first], strings)
  }

  return { segments: segments.slice(first), size: size - left }
}

/** The bytes of a selection. */
export function joinSegments ({ segments, size }: Selection, strings: SharedStrings): Uint8Array {
  const bytes = new Uint8Array(size)
  let at = 0

  for (const { first, last } of segments) {
    const { start, end } = boundsOf({ first, last }, strings)
    strings.copy(start, end, bytes.subarray(at))
    at += end - start
  }

  return bytes
}

/**
 * In how many more files than one the strings of a selection are, all added up: about what it saves, its own bytes
 * included.
 */
export function scoreOf ({ segments }: Selection): number {
  return segments.reduce((total, { score }) => total + score, 0)
}

/**
 * Where the bytes of a segment begin and end: before its first string and after its last one, what files share goes on,
 * but not beyond the next string.
 */
function boundsOf ({ first, last }: Omit<Segment, 'score'>, { places, bytesEach, length }: SharedStrings): Bounds {
  const before = first === 0 ? 0 : places[first - 1] + STRING_LENGTH
  const after = last === places.length ? length : places[last]
  const [start, end] = [places[first], places[last - 1] + STRING_LENGTH]

  return {
    start: Math.min(start, Math.max(before, start - bytesEach * MARGIN)),
    end: Math.max(end, Math.min(after, end + bytesEach * MARGIN))
  }
}

function sizeOf (segment: Segment, strings: SharedStrings): number {
  const { start, end } = boundsOf(segment, strings)

  return end - start
}

/** What strings are worth. */
class Weights {
  readonly #strings: SharedStrings
  /**
   * For each number, in how many more of the files than one its string is, times 65,536, and how often it is in the
   * segment that is looked at: one table, as most of the time goes into waiting for memory. Strings of chosen segments
   * have 0.
   */
  readonly #weights: Uint32Array

  constructor (strings: SharedStrings, { from, to }: FileRange) {
    const weights = new Uint32Array(strings.distinct)
    const { numbers, firsts } = strings

    for (let at = firsts[from]; at < firsts[to]; at++) {
      weights[numbers[at]] += WEIGHT
    }

    for (let i = 0; i < weights.length; i++) {
      weights[i] -= weights[i] === 0 ? 0 : WEIGHT
    }

    this.#strings = strings
    this.#weights = weights
  }

  /** The best segment of so many bytes between two strings. Undefined if all of its strings are covered. */
  best (first: number, last: number, length: number): Segment | undefined {
    const { places, numbers } = this.#strings
    const weights = this.#weights
    const span = length - STRING_LENGTH
    let best: Segment | undefined
    let highest = 0
    let score = 0
    let oldest = first

    for (let next = first; next < last; next++) {
      for (; places[next] - places[oldest] > span; oldest++) {
        const left = --weights[numbers[oldest]]
        score -= left % WEIGHT === 0 ? left / WEIGHT : 0
      }

      const before = weights[numbers[next]]++
      score += before % WEIGHT === 0 ? before / WEIGHT : 0

      if (score > highest) {
        highest = score
        best = { first: oldest, last: next + 1, score }
      }
    }

    for (; oldest < last; oldest++) {
      weights[numbers[oldest]]--
    }

    return best == null ? undefined : this.#trim(best)
  }

  close (): void {
    freeMemory(this.#weights)
  }

  /** Count the strings of a segment no more. */
  cover ({ first, last }: Segment): void {
    for (const number of this.#strings.numbers.subarray(first, last)) {
      this.#weights[number] = 0
    }
  }

  /** Drop the strings at both ends that are worth nothing. */
  #trim ({ first, last, score }: Segment): Segment {
    const { numbers } = this.#strings

    while (this.#weights[numbers[first]] === 0) {
      first++
    }

    while (this.#weights[numbers[last - 1]] === 0) {
      last--
    }

    return { first, last, score }
  }
}
