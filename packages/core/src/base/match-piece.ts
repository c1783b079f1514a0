import { gearMask } from '../cut/gear.ts'
import { MAX_EQUAL } from './anchor-index.ts'
import { ANCHOR_LENGTH, findAnchors } from './anchors.ts'
import type { AnchorIndex } from './anchor-index.ts'

/** About how many anchors of a piece are looked up first. All are if those do not match. */
const LOOKED_UP = 2048

/** A multiple of 1 to {@link MAX_EQUAL}: the votes of an anchor are divided among its places in the base. */
const VOTE = 12
/** The vote of an anchor that moved otherwise than those beside it. Only counts if all are like that. */
const STRAY_VOTE = 1

/** The part of a base that has most in common with a piece. */
interface Match {
  /** Where its first anchor begins, and its last one ends. */
  from: number
  to: number
  /** Where the piece would begin, according to most of them. */
  place: number
}

/** A span of the base, from one anchor to another one. */
interface Span {
  first: number
  last: number
  votes: number
  /** How far the piece would have moved from its own place, in bytes. */
  moved: number
}

/** The anchors of the base that also occur in a piece. */
interface Votes {
  /** For each anchor of the base, where it is in the piece. */
  places: Uint32Array
  /** For each anchor of the base, its votes. 0: the piece does not have it. */
  weights: Uint8Array
  /** Fewer votes do not count. */
  least: number
  /** The first anchor that has votes, and one more than the last. */
  from: number
  to: number
}

/**
 * The span of a base that has most anchors in common with a piece. If several have, the one
 * nearest to the piece's own place.
 *
 * @param start - where the piece begins in its own file
 * @param length - the most bytes of the span
 * @returns undefined if they have none in common
 */
export function matchPiece (index: AnchorIndex, piece: Uint8Array, start: number, length: number): Match | undefined {
  const few = index.mask | gearMask(32 - Math.clz32(Math.floor(piece.byteLength / LOOKED_UP)))
  const votes = castVotes(index, piece, few) ?? castVotes(index, piece, index.mask)
  const span = votes == null ? undefined : bestSpan(index, votes, start, length)

  if (votes == null || span == null) {
    return undefined
  }

  return {
    from: index.start(span.first),
    to: index.start(span.last) + ANCHOR_LENGTH,
    place: placeOf(index, span, votes)
  }
}

/**
 * Look up the anchors of a piece. Each place in the base has the votes of one, however often the
 * piece repeats it.
 *
 * @returns undefined if no anchor of the piece is in the base
 */
function castVotes (index: AnchorIndex, piece: Uint8Array, mask: number): Votes | undefined {
  const places = new Uint32Array(index.count)
  const weights = new Uint8Array(index.count)
  // the anchors of the base that equal this anchor of the piece, and the one before it
  let found = new Uint32Array(MAX_EQUAL)
  let before = new Uint32Array(MAX_EQUAL)
  let [equal, equalBefore, placeBefore, least, from, to] = [0, 0, 0, STRAY_VOTE, index.count, 0]

  findAnchors(piece, mask, (key, _, place) => {
    equal = index.find(key, found)

    for (let i = 0; i < equal; i++) {
      const anchor = found[i]
      const moved = index.start(anchor) - place

      if (weights[anchor] === 0) {
        weights[anchor] = STRAY_VOTE
        places[anchor] = place
        from = Math.min(from, anchor)
        to = Math.max(to, anchor + 1)
      }

      for (let j = 0; j < equalBefore; j++) {
        if (index.start(before[j]) - placeBefore === moved) {
          weights[anchor] = VOTE / equal
          weights[before[j]] = Math.max(weights[before[j]], VOTE / equalBefore)
          places[anchor] = place
          places[before[j]] = placeBefore
          least = VOTE / MAX_EQUAL
        }
      }
    }

    [found, before, equalBefore, placeBefore] = [before, found, equal, place]
  })

  return from < to ? { places, weights, least, from, to } : undefined
}

/** The span of the base, `length` bytes at most, that has the most votes. */
function bestSpan (
  index: AnchorIndex,
  { places, weights, least, from, to }: Votes,
  start: number,
  length: number
): Span | undefined {
  let best: Span | undefined
  let votes = 0

  for (let first = from, last = from - 1, next = from; first < to; first++) {
    if (weights[first] < least) {
      continue
    }

    const end = index.start(first) + Math.max(length - ANCHOR_LENGTH, 0)

    for (; next < to && index.start(next) <= end; next++) {
      if (weights[next] >= least) {
        votes += weights[next]
        last = next
      }
    }

    const moved = Math.abs(index.start(first) - places[first] - start)

    if (best == null || votes > best.votes || (votes === best.votes && moved < best.moved)) {
      best = { first, last, votes, moved }
    }

    votes -= weights[first]
  }

  return best
}

/** Where in the base the piece begins, according to the median of a match's anchors. */
function placeOf (index: AnchorIndex, { first, last }: Span, { places, weights, least }: Votes): number {
  const begins: number[] = []

  for (let anchor = first; anchor <= last; anchor++) {
    if (weights[anchor] >= least) {
      begins.push(index.start(anchor) - places[anchor])
    }
  }

  return Float64Array.from(begins).toSorted()[begins.length >> 1]
}
