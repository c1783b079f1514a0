// Room: dictionaries that small files of a tree share: `tree-dictionaries.ts` holds files back, `train.ts` decides,
// `cover.ts` chooses segments.

/** Bytes of what is counted: shorter strings are cheap anyway, and longer ones miss matches. */
const STRING_LENGTH = 8

const SEGMENT_LENGTH = 1024
/** In how many rounds the segments are chosen, each from all parts of the samples. */
const ROUNDS = 2
/** A part of the samples has at least this many times the bytes of a segment. */
const MIN_PART = 10
/** A segment of a lower score is not worth its own bytes: it shares fewer than 64 bytes with one other sample. */
const MIN_SCORE = 16
/** Maximum number of distinct samples. */
const MAX_SAMPLES = 2 ** 15 - 1

/** One string in four is counted, chosen by its content: that is enough to compare segments, and four times as fast. */
const COUNTED = 0b11
/** The bits of a slot's number. A slot takes 8 bytes: 8 MiB at most. */
const MAX_SLOT_BITS = 20
const MIN_SLOT_BITS = 12
/** One more sample, in a slot or a weight. */
const WEIGHT = 2 ** 16
/** Marks a slot that holds the number of its string. */
const NUMBERED = 2 ** 31

/** A span of the samples. */
interface Segment {
  /** Its first string that is counted, and one more than the last. */
  first: number
  last: number
  /** In how many more samples than one its strings are, all added up. */
  score: number
}

/**
 * Choose the segments of some samples that have most in common with the other samples: the COVER method (Liao, Petri,
 * Moffat and Wirth, "Effective Construction of Relative Lempel-Ziv Dictionaries", 2016), as zstd has it. The samples
 * are divided into parts, and from each part the best segment is taken in turn. Strings that a segment covers
 * count no more for the later ones. What occurs in one sample only is never chosen for itself.
 *
 * The same samples yield the same bytes. Time is linear in their bytes.
 *
 * @param size - maximum number of bytes to choose
 * @returns the segments, the best last: there zstd reaches them with the smallest offsets
 */
export function selectSegments (samples: readonly Uint8Array[], size: number): Uint8Array {
  const strings = new Strings(samples.slice(0, MAX_SAMPLES))
  const chosen: Array<Segment & { bytes: Uint8Array }> = []
  const { length } = strings.bytes
  const wanted = Math.ceil(size / (SEGMENT_LENGTH * ROUNDS))
  const parts = Math.max(1, Math.min(wanted, Math.floor(length / (SEGMENT_LENGTH * MIN_PART))))
  const bounds = Array.from({ length: parts + 1 }, (_, part) => strings.firstFrom(Math.floor(length * part / parts)))
  // what a part has to offer only becomes less
  let left = Array.from({ length: parts }, (_, part) => part)
  let room = size

  while (left.length > 0) {
    left = left.filter(part => {
      if (room < STRING_LENGTH) {
        return false
      }

      const best = strings.best(bounds[part], bounds[part + 1], Math.min(SEGMENT_LENGTH, room))

      if (best == null || best.score < MIN_SCORE) {
        return false
      }

      const bytes = strings.bytesOf(best)
      chosen.push({ ...best, bytes })
      strings.cover(best)
      room -= bytes.byteLength
      return true
    })
  }

  const dictionary = new Uint8Array(size - room)
  let end = dictionary.byteLength

  for (const { bytes } of chosen.toSorted((a, b) => b.score - a.score)) {
    end -= bytes.byteLength
    dictionary.set(bytes, end)
  }

  return dictionary
}

/** The strings of 8 bytes in the samples that are counted and in more than one sample. */
class Strings {
  /** All samples, one after the other. */
  readonly bytes: Uint8Array
  /** Where each string begins. */
  readonly #places: Uint32Array
  /** The number of each string, in the order in which they first occur. Equal strings have the same. */
  readonly #numbers: Uint32Array
  /**
   * For each number, in how many more samples than one its string is, times 65,536, and how often it is in the segment
   * that is looked at: one table, as most of the time goes into waiting for memory. Strings of chosen segments have 0.
   */
  readonly #weights: Uint32Array

  constructor (samples: readonly Uint8Array[]) {
    const length = samples.reduce((total, { byteLength }) => total + byteLength, 0)
    const bits = Math.min(MAX_SLOT_BITS, Math.max(MIN_SLOT_BITS, 32 - Math.clz32(length)))
    // for each slot, the hash of its string. After it, the number of the last sample that has it, from 1 on, and in how
    // many more samples than one it is, times 65,536: both in one line of the processor's cache
    const table = new Uint32Array(2 ** (bits + 1))

    this.bytes = new Uint8Array(length)

    // twice as many as are expected. Only hostile content has more, and they do not count
    const places = new Uint32Array(Math.ceil(length / 2))
    const hashes = new Uint32Array(places.length)
    let position = 0
    let count = 0

    for (const [i, sample] of samples.entries()) {
      const from = count
      this.bytes.set(sample, position)
      count = hashStrings(sample, position, places, hashes, count)
      position += sample.byteLength

      for (let at = from; at < count; at++) {
        const hash = hashes[at]
        const slot = hash >>> 32 - bits << 1
        table[slot] ||= hash

        if (table[slot] === hash) {
          const state = table[slot + 1]
          const last = state % WEIGHT

          if (last !== i + 1) {
            table[slot + 1] = state - last + i + 1 + (last === 0 ? 0 : WEIGHT)
          }
        }
      }
    }

    // those that are in one sample only, or whose slot another string has, are dropped
    const weights = new Uint32Array(Math.min(count, 2 ** bits))
    let distinct = 0
    let kept = 0

    for (let at = 0; at < count; at++) {
      const slot = hashes[at] >>> 32 - bits << 1

      if (table[slot] === hashes[at] && table[slot + 1] >= WEIGHT) {
        if (table[slot + 1] < NUMBERED) {
          weights[distinct] = table[slot + 1] - table[slot + 1] % WEIGHT
          table[slot + 1] = NUMBERED + distinct++
        }

        places[kept] = places[at]
        hashes[kept++] = table[slot + 1] - NUMBERED
      }
    }

    this.#places = places.slice(0, kept)
    this.#numbers = hashes.slice(0, kept)
    this.#weights = weights.slice(0, distinct)
  }

  /** The first string that begins at a place or behind it. */
  firstFrom (place: number): number {
    let low = 0
    let high = this.#places.length

    while (low < high) {
      const middle = (low + high) >> 1

      if (this.#places[middle] < place) {
        low = middle + 1
      } else {
        high = middle
      }
    }

    return low
  }

  /** The best segment of so many bytes between two strings. Undefined if all of its strings are covered. */
  best (first: number, last: number, length: number): Segment | undefined {
    const [places, numbers, weights] = [this.#places, this.#numbers, this.#weights]
    const span = length - STRING_LENGTH
    let best: Segment | undefined
    let score = 0
    let oldest = first

    for (let next = first; next < last; next++) {
      for (; places[next] - places[oldest] > span; oldest++) {
        const left = --weights[numbers[oldest]]
        score -= left % WEIGHT === 0 ? left / WEIGHT : 0
      }

      const before = weights[numbers[next]]++
      score += before % WEIGHT === 0 ? before / WEIGHT : 0

      if (score > (best?.score ?? 0)) {
        best = { first: oldest, last: next + 1, score }
      }
    }

    for (; oldest < last; oldest++) {
      weights[numbers[oldest]]--
    }

    return best == null ? undefined : this.#trim(best)
  }

  /** Count the strings of a segment no more. */
  cover ({ first, last }: Segment): void {
    for (const number of this.#numbers.subarray(first, last)) {
      this.#weights[number] = 0
    }
  }

  bytesOf ({ first, last }: Segment): Uint8Array {
    return this.bytes.subarray(this.#places[first], this.#places[last - 1] + STRING_LENGTH)
  }

  /** Drop the strings at both ends that are covered already. */
  #trim ({ first, last, score }: Segment): Segment {
    while (this.#weights[this.#numbers[first]] === 0) {
      first++
    }

    while (this.#weights[this.#numbers[last - 1]] === 0) {
      last--
    }

    return { first, last, score }
  }
}

/** Add the places and hashes of the strings of a sample that are counted. Returns how many there are now. */
function hashStrings (
  sample: Uint8Array,
  position: number,
  places: Uint32Array,
  hashes: Uint32Array,
  count: number
): number {
  const before = STRING_LENGTH - 1
  let low = 0
  let high = 0

  for (let i = 0; i < sample.byteLength; i++) {
    low = low >>> 8 | high << 24
    high = high >>> 8 | sample[i] << 24

    // the finalizer of MurmurHash3
    let mixed = Math.imul(low, 0x9e3779b1) ^ high
    mixed = Math.imul(mixed ^ mixed >>> 16, 0x85ebca6b)
    mixed = Math.imul(mixed ^ mixed >>> 13, 0xc2b2ae35)

    if (i >= before && (mixed & COUNTED) === 0) {
      places[count] = position + i - before
      hashes[count] = mixed
      count = Math.min(count + 1, places.length - 1)
    }
  }

  return count
}
