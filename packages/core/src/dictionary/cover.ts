// Room: dictionaries that small files of a tree share: `tree-dictionaries.ts` holds files back, `train.ts` decides,
// `cover.ts` chooses segments.
import { lowerBound, STRING_LENGTH } from './shared-strings.ts'
import type { StringSpan } from '@ipfsz/codecs/strings'
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

interface Bounds {
  start: number
  end: number
}

/** What some files have in common. */
export interface Selection {
  /** The best last: there zstd reaches them with the smallest offsets. */
  segments: readonly StringSpan[]
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
  const { module } = strings
  const chosen: StringSpan[] = []
  const wanted = Math.ceil(size / (SEGMENT_LENGTH * ROUNDS))
  const parts = Math.max(1, Math.min(wanted, Math.floor(length / (SEGMENT_LENGTH * MIN_PART))))
  const bounds = Array.from({ length: parts + 1 }, (_, part) =>
    lowerBound(strings.places, start + Math.floor(length * part / parts)))
  // what a part has to offer only becomes less
  let left = Array.from({ length: parts }, (_, part) => part)
  let room = size
  module.weigh(from, to)

  while (left.length > 0) {
    left = left.filter(part => {
      if (room < STRING_LENGTH) {
        return false
      }

      const span = Math.min(SEGMENT_LENGTH, room) - STRING_LENGTH
      const best = module.findBest(bounds[part], bounds[part + 1], span)

      if (best == null || best.score * strings.bytesEach < MIN_SHARED) {
        return false
      }

      chosen.push(best)
      module.cover(best)
      room -= sizeOf(best, strings)
      return true
    })
  }

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
function boundsOf ({ first, last }: Omit<StringSpan, 'score'>, { places, bytesEach, length }: SharedStrings): Bounds {
  const before = first === 0 ? 0 : places[first - 1] + STRING_LENGTH
  const after = last === places.length ? length : places[last]
  const [start, end] = [places[first], places[last - 1] + STRING_LENGTH]

  return {
    start: Math.min(start, Math.max(before, start - bytesEach * MARGIN)),
    end: Math.max(end, Math.min(after, end + bytesEach * MARGIN))
  }
}

function sizeOf (segment: StringSpan, strings: SharedStrings): number {
  const { start, end } = boundsOf(segment, strings)

  return end - start
}
