import { commonLength } from './common-length.ts'

/** The bytes that are looked for at once. */
export const WINDOW = 32
/** Where the windows of the dictionary begin: every so many bytes, and in a large one half as often, for speed. */
const STEP = 16
const LARGE_STEP = 32
const LARGE = 512 * 1024
/** The most equal windows that are compared. */
const MAX_EQUAL = 4

/** The windows of a dictionary, by their hash: parts of it that are found wherever they are in the content. */
export class Windows {
  #all: DataView = new DataView(new ArrayBuffer(0))
  #contentStart = 0
  /** For each hash the last window that has it, and for each window the one before with the same hash. Plus one. */
  #last = new Int32Array(0)
  #before = new Int32Array(0)
  #shift = 0
  #step = STEP

  /**
   * Begin with another dictionary. The memory for the windows is used again.
   *
   * @param all - the dictionary, and after it the content
   */
  index (all: DataView, contentStart: number): void {
    const step = contentStart > LARGE ? LARGE_STEP : STEP
    const count = Math.max(0, Math.floor((contentStart - WINDOW) / step) + 1)
    const bits = 32 - Math.clz32(count | 1)
    const shift = 32 - bits

    if (this.#last.length < 1 << bits) {
      this.#last = new Int32Array(1 << bits)
      this.#before = new Int32Array(1 << bits)
    } else {
      this.#last.fill(0, 0, 1 << bits)
    }

    const [last, before] = [this.#last, this.#before]

    for (let window = 0; window < count; window++) {
      const slot = hashOf(all, window * step) >>> shift
      before[window] = last[slot]
      last[slot] = window + 1
    }

    this.#all = all
    this.#contentStart = contentStart
    this.#shift = shift
    this.#step = step
  }

  /**
   * Where in the dictionary the content from a place on is found: of several such places the one where most follows,
   * or else the nearest to where it is expected.
   *
   * @param end - where the content ends at the latest
   * @param minLength - the fewest bytes that have to be the same, at least 32
   * @returns -1 if they are nowhere
   */
  find (position: number, end: number, minLength: number, expected: number): number {
    let best = -1

    if (position + minLength > end) {
      return best
    }

    const all = this.#all
    const bytes = all.getInt32(position, true)
    let longest = minLength
    let window = this.#last[hashOf(all, position) >>> this.#shift] - 1

    for (let i = 0; i < MAX_EQUAL && window >= 0; i++) {
      const from = window * this.#step
      window = this.#before[window] - 1

      if (all.getInt32(from, true) !== bytes) {
        continue
      }

      const length = commonLength(all, from, position, Math.min(end, position + this.#contentStart - from))
      const isNearer = best < 0 || Math.abs(from - expected) < Math.abs(best - expected)

      if (length > longest || (length === longest && isNearer)) {
        best = from
        longest = length
      }
    }

    return best
  }
}

/** A hash of half the bytes: all of them are compared anyway. */
function hashOf (view: DataView, at: number): number {
  const hash = Math.imul(view.getInt32(at, true), 0x9e3779b1) ^
    Math.imul(view.getInt32(at + 9, true), 0x85ebca6b) ^
    Math.imul(view.getInt32(at + 19, true), 0xc2b2ae35) ^
    Math.imul(view.getInt32(at + 28, true), 0x27d4eb2f)

  return Math.imul(hash ^ hash >>> 15, 0x165667b1)
}
