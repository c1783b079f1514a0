import { SAMPLE_LENGTH, viewOf } from './samples.ts'
import type { SampleIndex } from './sample-index.ts'

/** The votes of a sample that moved as far as one beside it. */
const VOTE = 4
/** The vote of a sample that stands alone: other files have such ones too. Only counts if all are like that. */
const STRAY_VOTE = 1

/** How many samples in a row may have changed where the bytes after them are in their old place. */
const MAX_CHANGED = 4

/** How many samples after equal ones are compared to choose one of those. */
const MAX_AHEAD = 32

/** The part of a base that has most in common with a piece. */
interface Match {
  /** Where its first sample begins, and its last one ends. */
  from: number
  to: number
  /** Where the piece would begin, according to most of them. */
  place: number
}

/** A span of the base, from one sample to another one: their numbers among those whose votes count. */
interface Span {
  first: number
  last: number
  votes: number
  /** How far the piece would have moved from its own place, in bytes. */
  moved: number
}

/** The samples of the base that also occur in a piece: of one piece after the other, because the lists are long. */
export class Votes {
  /** For each sample of the base that has votes, where it is in the piece. */
  readonly places: Uint32Array
  /** For each sample of the base, its votes. 0: the piece does not have it. */
  readonly weights: Uint8Array
  /** The samples whose votes count, in order, once they are counted. In a large base, few have any. */
  readonly counted: Uint32Array
  /** Fewer votes do not count. */
  least = STRAY_VOTE
  /** The first sample that has votes, and one more than the last. */
  from: number
  to = 0

  /** @param count - samples of the base */
  constructor (count: number) {
    this.places = new Uint32Array(count)
    this.weights = new Uint8Array(count)
    this.counted = new Uint32Array(count)
    this.from = count
  }

  add (sample: number, place: number, weight: number): void {
    // each sample has the votes of one, however often the piece repeats it
    if (this.weights[sample] < weight) {
      this.weights[sample] = weight
      this.places[sample] = place
      this.from = Math.min(this.from, sample)
      this.to = Math.max(this.to, sample + 1)
    }
  }

  /** @returns how many samples are in `counted` */
  count (): number {
    let length = 0

    for (let sample = this.from; sample < this.to; sample++) {
      if (this.weights[sample] >= this.least) {
        this.counted[length++] = sample
      }
    }

    return length
  }

  clear (): void {
    this.weights.fill(0, this.from, this.to)
    this.least = STRAY_VOTE
    this.from = this.weights.length
    this.to = 0
  }
}

/** The samples of a base, with the votes of the piece before, or empty ones. */
export interface VotedSamples {
  index: SampleIndex
  votes: Votes
}

/**
 * The span of a base that has most samples in common with a piece. If several have, the one
 * nearest to the piece's own place.
 *
 * @param start - where the piece begins in its own file
 * @param length - maximum number of bytes of the span
 * @returns undefined if they have none in common
 */
export function matchPiece (
  { index, votes }: VotedSamples,
  piece: Uint8Array,
  start: number,
  length: number
): Match | undefined {
  votes.clear()
  castVotes(index, votes, piece, start)
  const span = bestSpan(index.step, votes, start, length)

  if (span == null) {
    return undefined
  }

  return {
    from: votes.counted[span.first] * index.step,
    to: votes.counted[span.last] * index.step + SAMPLE_LENGTH,
    place: placeOf(index.step, span, votes)
  }
}

/** About how many bytes of a piece are in a base: those of samples that also have their neighbours. */
export function sharedBytes ({ index, votes }: VotedSamples, piece: Uint8Array): number {
  votes.clear()
  castVotes(index, votes, piece, 0)

  return votes.least < VOTE ? 0 : votes.count() * index.step
}

/**
 * Look for the samples of the base in a piece. From one that was found, those after it are looked for where they
 * should be: only what changed is searched byte by byte.
 */
function castVotes (index: SampleIndex, votes: Votes, piece: Uint8Array, start: number): void {
  const { step, count } = index
  const view = viewOf(piece)

  for (let at = index.search(piece, view, 0); at >= 0; at = index.search(piece, view, at)) {
    let sample = bestFound(index, view, at, start)
    votes.add(sample, at, STRAY_VOTE)

    for (let ahead = 1; ahead <= MAX_CHANGED; ahead++) {
      const [next, place] = [sample + ahead, at + ahead * step]

      if (next >= count || place + SAMPLE_LENGTH > piece.byteLength) {
        break
      }

      if (index.has(next, view, place)) {
        votes.least = VOTE
        votes.add(sample, at, VOTE)
        votes.add(next, place, VOTE);
        [sample, at, ahead] = [next, place, 0]
      }
    }

    at += SAMPLE_LENGTH
  }
}

/** Of equal samples the one whose neighbours are most like those in the piece, or else the nearest one. */
function bestFound (index: SampleIndex, view: DataView, at: number, start: number): number {
  const { found, step, count } = index
  let [best, bestAhead, bestMoved] = [found[0], -1, Infinity]

  for (const sample of found.length === 1 ? [] : found) {
    const moved = Math.abs(sample * step - at - start)
    let ahead = 0

    while (ahead < MAX_AHEAD) {
      const [next, place] = [sample + ahead + 1, at + (ahead + 1) * step]

      if (next >= count || place + SAMPLE_LENGTH > view.byteLength || !index.has(next, view, place)) {
        break
      }

      ahead++
    }

    if (ahead > bestAhead || (ahead === bestAhead && moved < bestMoved)) {
      [best, bestAhead, bestMoved] = [sample, ahead, moved]
    }
  }

  return best
}

/** The span of the base, `length` bytes at most, that has the most votes. */
function bestSpan (step: number, votes: Votes, start: number, length: number): Span | undefined {
  const { places, weights, counted } = votes
  const count = votes.count()
  let best: Span | undefined
  let sum = 0
  let next = 0

  for (let first = 0; first < count; first++) {
    const sample = counted[first]
    const end = sample * step + Math.max(length - SAMPLE_LENGTH, 0)

    for (; next < count && counted[next] * step <= end; next++) {
      sum += weights[counted[next]]
    }

    const moved = Math.abs(sample * step - places[sample] - start)

    if (best == null || sum > best.votes || (sum === best.votes && moved < best.moved)) {
      best = { first, last: next - 1, votes: sum, moved }
    }

    sum -= weights[sample]
  }

  return best
}

/** Where in the base the piece begins, according to the median of a match's samples. */
function placeOf (step: number, { first, last }: Span, { places, counted }: Votes): number {
  const begins = new Map<number, number>()

  for (let i = first; i <= last; i++) {
    const begin = counted[i] * step - places[counted[i]]
    begins.set(begin, (begins.get(begin) ?? 0) + 1)
  }

  let before = 0

  for (const [begin, samples] of [...begins].toSorted(([a], [b]) => a - b)) {
    before += samples

    if (2 * before > last - first + 1) {
      return begin
    }
  }

  // a span has at least one sample
  return counted[first] * step
}
