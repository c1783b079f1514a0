import { commonLength, commonLengthBefore } from './common-length.ts'
import { NearPlaces } from './near-places.ts'
import { WINDOW } from './windows.ts'
import type { FarPlaces } from './far-places.ts'
import type { Windows } from './windows.ts'
import type { Copy } from '../format/zstd/zstd-encode.ts'

/** How much of what is around a change is searched for parts of it. Four times as much finds no more. */
const AROUND = 256
/** The shortest copy. One that is as far away as one before takes less. */
const MIN_LENGTH = 5
const MIN_REPEATED = 4
/** How many of the last copies may be repeated, and what that takes, in bits. */
const REPEATED = 3
const REPEATED_BITS = 1

/** What a byte that need not be stored is worth, in bits. */
const BYTE_BITS = 4
/** Where one of so many bytes is near, the whole dictionary need not be searched. */
const FAR_BELOW = 16
/** Longer copies are taken at once. */
const LONG = 32
/**
 * With more new bytes, all of the dictionary is searched for parts of them: new rows of a table have most words in
 * common with others, wherever those are. That takes a millisecond, and makes a sixth fewer bytes of them.
 */
const MIN_NEW = 2048
/** How much better a copy has to be that begins one byte later. */
const LATER_BITS = 4

/** A copy that could begin at a place. */
interface Candidate {
  length: number
  offset: number
  /** The bits that it saves, about. */
  gain: number
}

/**
 * Find shorter copies between the long ones: in what was there before, in what is around it, and in what changed
 * already. If that is much, also in all of the dictionary.
 *
 * @param all - the dictionary, and after it the content
 * @param farPlaces - its memory is used
 * @param long - in order
 */
export function addShortCopies (
  all: DataView,
  contentStart: number,
  windows: Windows,
  farPlaces: FarPlaces,
  long: readonly Copy[]
): Copy[] {
  const isMuch = long.reduce((rest, { length }) => rest - length, all.byteLength - contentStart) > MIN_NEW

  if (isMuch) {
    farPlaces.index(all, contentStart)
  }

  const gaps = new Gaps(all, contentStart, windows, isMuch ? farPlaces : undefined)
  let end = contentStart
  let offset = contentStart

  for (const copy of long) {
    const start = contentStart + copy.start
    gaps.fill(end, start, [end - offset, start - copy.offset])
    gaps.copies.push(copy)
    end = start + copy.length
    offset = copy.offset
  }

  gaps.fill(end, all.byteLength, [end - offset])

  return gaps.copies
}

class Gaps {
  /** All copies up to the last gap. */
  readonly copies: Copy[] = []
  readonly #all: DataView
  readonly #windows: Windows
  readonly #near: NearPlaces
  readonly #far: FarPlaces | undefined
  readonly #contentStart: number

  constructor (all: DataView, contentStart: number, windows: Windows, far: FarPlaces | undefined) {
    this.#all = all
    this.#contentStart = contentStart
    this.#windows = windows
    this.#near = new NearPlaces(all, contentStart)
    this.#far = far
  }

  /** @param places - where in the dictionary what is before the gap ends, and what is after it begins */
  fill (start: number, end: number, places: readonly number[]): void {
    if (start === end) {
      return
    }

    for (const place of places) {
      this.#near.addOld(place - AROUND, place + AROUND)
    }

    // last, because what is nearer takes fewer bits
    this.#near.addNew(start - AROUND, start)
    let last = start

    for (let position = start; position + MIN_REPEATED <= end;) {
      const first = this.#bestAt(position, end)

      if (first == null) {
        position++
        continue
      }

      const { at, best: { length, offset } } = this.#bestFrom(position, end, first)
      const before = this.#lengthBefore(at, offset, last)
      this.copies.push({ start: at - before - this.#contentStart, length: before + length, offset })
      this.#near.addNew(at, at + length)
      position = last = at + length
    }
  }

  /** How many bytes before a copy are also before what it copies. */
  #lengthBefore (at: number, offset: number, start: number): number {
    const from = at - offset
    const first = from < this.#contentStart ? 0 : this.#contentStart

    return commonLengthBefore(this.#all, from, at, Math.max(start, first + offset))
  }

  /** The best one of those that begin at a place, or right after it. */
  #bestFrom (position: number, end: number, first: Candidate): { at: number, best: Candidate } {
    let [at, best] = [position, first]

    for (let next = at + 1; best.length < LONG && next + MIN_REPEATED <= end; next++) {
      const later = this.#bestAt(next, end)

      if (later == null || later.gain <= best.gain + LATER_BITS) {
        break
      }

      [at, best] = [next, later]
    }

    return { at, best }
  }

  #bestAt (position: number, end: number): Candidate | undefined {
    const near = this.#near.find(position)
    let best = near < 0 ? undefined : this.#better(undefined, position, position - near, end)

    if (best == null || best.length < FAR_BELOW) {
      const far = this.#far?.find(position, end) ?? this.#windows.find(position, end, WINDOW, position)
      best = far < 0 ? best : this.#better(best, position, position - far, end)
    }

    const bytes = this.#all.getInt32(position, true)

    for (let i = this.copies.length - 1; i >= Math.max(0, this.copies.length - REPEATED); i--) {
      const { offset } = this.copies[i]

      if (offset <= position && this.#all.getInt32(position - offset, true) === bytes) {
        best = this.#better(best, position, offset, end, MIN_REPEATED, REPEATED_BITS)
      }
    }

    return best
  }

  /** The copy from `offset` bytes before, if it is long enough and better, or else the best one so far. */
  #better (
    best: Candidate | undefined,
    position: number,
    offset: number,
    end: number,
    minLength = MIN_LENGTH,
    offsetBits = 31 - Math.clz32(offset)
  ): Candidate | undefined {
    const from = position - offset
    // what is in the dictionary does not go on in the content
    const stop = from < this.#contentStart ? Math.min(end, offset + this.#contentStart) : end
    const length = commonLength(this.#all, from, position, stop)
    const gain = BYTE_BITS * length - offsetBits

    return length >= minLength && (best == null || gain > best.gain) ? { length, offset, gain } : best
  }
}
