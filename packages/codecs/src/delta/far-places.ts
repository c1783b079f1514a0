const HASH_LOG = 17
/** The bytes that are looked for at once: those of four are in too many places to be the right ones. */
const LENGTH = 6
/** Every other place is enough: copies are continued to the front too. */
const STEP = 2

/** Places all over a dictionary, by the six bytes there: of several with the same hash the last one. */
export class FarPlaces {
  #all: DataView = new DataView(new ArrayBuffer(0))
  /** Of each hash its place, plus one. */
  readonly #last = new Int32Array(1 << HASH_LOG)

  /**
   * Begin with another dictionary.
   *
   * @param all - the dictionary, and after it the content
   */
  index (all: DataView, contentStart: number): void {
    const last = this.#last
    last.fill(0)

    for (let at = 0; at + LENGTH <= contentStart; at += STEP) {
      last[slotOf(all, at)] = at + 1
    }

    this.#all = all
  }

  /**
   * A place in the dictionary that has at least the first four of the bytes at `position`.
   *
   * @param end - where the content ends at the latest
   * @returns -1 if none is known
   */
  find (position: number, end: number): number {
    if (position + LENGTH > end) {
      return -1
    }

    const from = this.#last[slotOf(this.#all, position)] - 1

    return from >= 0 && this.#all.getInt32(from, true) === this.#all.getInt32(position, true) ? from : -1
  }
}

function slotOf (view: DataView, at: number): number {
  const hash = Math.imul(view.getInt32(at, true), 0x9e3779b1) ^ Math.imul(view.getUint16(at + 4, true), 0x85ebca6b)

  return Math.imul(hash, 0x27d4eb2f) >>> 32 - HASH_LOG
}
