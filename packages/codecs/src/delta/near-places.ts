const HASH_LOG = 13
/** The bytes that are looked for at once. */
const NEAR_LENGTH = 4

/** Some places in a dictionary and in the content after it, by the four bytes there. */
export class NearPlaces {
  readonly #all: DataView
  readonly #contentStart: number
  /** Of each hash the place that was added last, plus one. */
  readonly #last = new Int32Array(1 << HASH_LOG)
  /** The span that was added last, in the dictionary and in the content. */
  readonly #old = { from: 0, to: 0 }
  readonly #new: { from: number, to: number }

  constructor (all: DataView, contentStart: number) {
    this.#all = all
    this.#contentStart = contentStart
    this.#new = { from: contentStart, to: contentStart }
  }

  /**
   * A place with the same four bytes, which the next search finds at `position`.
   *
   * @returns -1 if none of those that were added has them
   */
  find (position: number): number {
    const bytes = this.#all.getInt32(position, true)
    const slot = slotOf(bytes)
    const from = this.#last[slot] - 1
    this.#last[slot] = position + 1
    this.#new.to = Math.max(this.#new.to, position + 1)

    return from >= 0 && this.#all.getInt32(from, true) === bytes ? from : -1
  }

  /** Add places of the dictionary. Those beyond its ends are left out. */
  addOld (from: number, to: number): void {
    this.#add(this.#old, Math.max(from, 0), Math.min(to, this.#contentStart - NEAR_LENGTH + 1))
  }

  /** Add places of the content. */
  addNew (from: number, to: number): void {
    this.#add(this.#new, Math.max(from, this.#contentStart), Math.min(to, this.#all.byteLength - NEAR_LENGTH + 1))
  }

  /** Add a span, but not again what the last one had. */
  #add (added: { from: number, to: number }, from: number, to: number): void {
    const goesOn = from >= added.from && from <= added.to
    const [all, last] = [this.#all, this.#last]

    for (let at = goesOn ? added.to : from; at < to; at++) {
      last[slotOf(all.getInt32(at, true))] = at + 1
    }

    added.from = goesOn ? added.from : from
    added.to = goesOn ? Math.max(added.to, to) : to
  }
}

function slotOf (bytes: number): number {
  return Math.imul(bytes, 0x9e3779b1) >>> 32 - HASH_LOG
}
