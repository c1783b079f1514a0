import { gearMask } from '../cut/gear.ts'

/** The most anchors that are remembered: with their table they take 6 MiB. */
const MAX_ANCHORS = 2 ** 18
const FIRST_CAPACITY = 2 ** 12
/** One position in 64 is an anchor, until there are too many. */
const FIRST_MASK_BITS = 6

/** How many places are remembered of anchors that are equal. */
export const MAX_EQUAL = 4
/** How far an anchor may lie from where its hash says. Only hostile content needs more. */
const MAX_PROBES = 64

/**
 * Anchors of a file, in the file's order. When there are too many, half of them are dropped, by
 * their content: of the same content the same anchors stay.
 */
export class AnchorIndex {
  #count = 0
  #maskBits = FIRST_MASK_BITS
  #capacity = 0
  #keys = new Uint32Array(0)
  #gears = new Int32Array(0)
  #starts = new Float64Array(0)
  /** An open hash table of the anchors' numbers plus one. Half of it stays empty. */
  #slots = new Uint32Array(0)

  constructor () {
    this.#rebuild(FIRST_CAPACITY)
  }

  /** How many anchors there are. */
  get count (): number {
    return this.#count
  }

  /** The bits of the gear hash that are zero in an anchor. */
  get mask (): number {
    return gearMask(this.#maskBits)
  }

  /** Where an anchor begins in the file. */
  start (anchor: number): number {
    return this.#starts[anchor]
  }

  /** Add the next anchor. */
  add (key: number, gear: number, start: number): void {
    if (this.#count === this.#capacity) {
      this.#makeRoom()
    }

    if (this.#count < this.#capacity && (gear & this.mask) === 0) {
      this.#insert(key, gear, start)
    }
  }

  /**
   * Find the anchors that have a hash.
   *
   * @param found - where their numbers are written, at most {@link MAX_EQUAL}
   * @returns how many there are
   */
  find (key: number, found: Uint32Array): number {
    const last = this.#slots.length - 1
    let equal = 0

    for (let probe = 0, slot = key & last; probe < MAX_PROBES; probe++, slot = slot + 1 & last) {
      const anchor = this.#slots[slot] - 1

      if (anchor < 0) {
        return equal
      }

      if (this.#keys[anchor] === key) {
        found[equal++] = anchor
      }
    }

    return equal
  }

  #insert (key: number, gear: number, start: number): void {
    const last = this.#slots.length - 1
    let equal = 0

    for (let probe = 0, slot = key & last; probe < MAX_PROBES && equal < MAX_EQUAL; probe++, slot = slot + 1 & last) {
      const anchor = this.#slots[slot] - 1

      if (anchor < 0) {
        this.#keys[this.#count] = key
        this.#gears[this.#count] = gear
        this.#starts[this.#count] = start
        this.#slots[slot] = ++this.#count

        return
      }

      equal += this.#keys[anchor] === key ? 1 : 0
    }
  }

  #makeRoom (): void {
    if (this.#capacity < MAX_ANCHORS) {
      this.#rebuild(this.#capacity * 2)
      return
    }

    // hostile content may have anchors that all stay: the mask then grows until no more are added
    while (this.#count > this.#capacity / 2 && this.#maskBits < 32) {
      this.#maskBits++
      this.#rebuild(this.#capacity)
    }
  }

  /** Insert all anchors that the mask selects again. */
  #rebuild (capacity: number): void {
    const [count, keys, gears, starts] = [this.#count, this.#keys, this.#gears, this.#starts]

    this.#capacity = capacity
    this.#count = 0
    this.#keys = new Uint32Array(capacity)
    this.#gears = new Int32Array(capacity)
    this.#starts = new Float64Array(capacity)
    this.#slots = new Uint32Array(capacity * 2)

    for (let i = 0; i < count; i++) {
      if ((gears[i] & this.mask) === 0) {
        this.#insert(keys[i], gears[i], starts[i])
      }
    }
  }
}
