/** Slots of a table at first. At least half of them are free. */
const FIRST_SLOTS = 1024
/** Words of a slot: two of the block's multihash, and the writer, which is 0 in a free one. */
const WORDS = 3

/** Random factors, so that nobody can make many blocks that begin at the same slot. */
const factors = crypto.getRandomValues(new Uint32Array(2)).map(factor => factor | 1)

/**
 * Which file wrote each block last, of those that were written last: 24 to 48 bytes for each, which no collection of
 * garbage visits; a Map takes 200. Blocks are told apart by 64 bits, files by 31: it is for statistics.
 */
export class RecentWriters {
  readonly #max: number
  #young = new Table()
  /** Those that were noted before. */
  #old = new Table()

  /** @param max - how many blocks are remembered: between half of it, and it */
  constructor (max: number) {
    this.#max = max
  }

  /** Note who writes a block. Whether it was written before, and by whom. */
  note (multihash: Uint8Array, writer: string): 'first' | 'same' | 'other' {
    const [high, low, file] = [wordAt(multihash, 8), wordAt(multihash, 4), hashOf(writer)]
    const before = this.#young.put(high, low, file) || this.#old.get(high, low)

    if (this.#young.size >= this.#max / 2) {
      this.#old = this.#young
      this.#young = new Table()
    }

    return before === 0 ? 'first' : before === file ? 'same' : 'other'
  }
}

/** A hash table with open addressing. */
class Table {
  #words = new Uint32Array(FIRST_SLOTS * WORDS)
  #size = 0

  get size (): number {
    return this.#size
  }

  /** @returns 0 if there is none */
  get (high: number, low: number): number {
    return this.#words[this.#find(high, low) + 2]
  }

  /** @returns what was there before */
  put (high: number, low: number, value: number): number {
    if (this.#size * WORDS * 2 >= this.#words.length) {
      this.#grow()
    }

    const at = this.#find(high, low)
    const before = this.#words[at + 2]
    this.#words.set([high, low, value], at)
    this.#size += before === 0 ? 1 : 0

    return before
  }

  /** Where a key is, or belongs. */
  #find (high: number, low: number): number {
    const words = this.#words
    const mixed = Math.imul(high, factors[0]) + Math.imul(low, factors[1])
    let at = (mixed ^ mixed >>> 15) >>> 0
    at = at % (words.length / WORDS) * WORDS

    while (words[at + 2] !== 0 && (words[at] !== high || words[at + 1] !== low)) {
      at = (at + WORDS) % words.length
    }

    return at
  }

  #grow (): void {
    const words = this.#words
    this.#words = new Uint32Array(words.length * 2)

    for (let at = 0; at < words.length; at += WORDS) {
      if (words[at + 2] !== 0) {
        this.#words.set(words.subarray(at, at + WORDS), this.#find(words[at], words[at + 1]))
      }
    }
  }
}

/** Four bytes at a distance from the end. */
function wordAt (bytes: Uint8Array, distance: number): number {
  const at = bytes.byteLength - distance

  return (bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3]) >>> 0
}

/** FNV-1a of the characters, never 0. */
function hashOf (text: string): number {
  let hash = 0x811c9dc5

  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  }

  return (hash | 1) >>> 0
}
